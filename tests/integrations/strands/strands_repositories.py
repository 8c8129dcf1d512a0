"""Repositories of Strands to test side by side, its own and ours, and what they keep."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from strands.session import FileSessionManager
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

from everturn.client import Everturn
from everturn.integrations.strands.sessions import EverturnSessionRepository

BORN = "2026-01-02T03:04:05.000006+00:00"
PNG = b"\x89PNG\r\n\x1a\n\x00\xff"


@contextmanager
def file_repository(folder: Path) -> Iterator[FileSessionManager]:
    yield FileSessionManager("seed", storage_dir=str(folder))


@contextmanager
def everturn_repository(folder: Path) -> Iterator[EverturnSessionRepository]:
    with Everturn.local(folder) as client:
        yield EverturnSessionRepository(client)


KINDS: dict[str, Callable[[Path], Any]] = {"file": file_repository, "everturn": everturn_repository}
# FileSessionManager has `delete_session` beside what a SessionRepository has.
Repository = FileSessionManager | EverturnSessionRepository


class Swarm:
    """What a repository asks of a graph or a swarm."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.id, self.state = "team", state

    def serialize_state(self) -> dict[str, Any]:
        return self.state


def swarm(**state: Any) -> Any:  # noqa: ANN401 - stands for a MultiAgentBase
    return Swarm(state)


def session(id_: str = "s") -> Session:
    return Session(id_, SessionType.AGENT, created_at=BORN, updated_at=BORN)


def agent(id_: str = "default", **state: Any) -> SessionAgent:  # noqa: ANN401 - any JSON
    return SessionAgent(id_, state, {"__name__": "x", "removed_message_count": 0})


def message(text: str, number: int = 0, role: str = "user") -> SessionMessage:
    said = cast("Any", {"role": role, "content": [{"text": text}], "tracking_id": f"id-{text}"})
    return SessionMessage(said, number, created_at=BORN, updated_at=BORN)


def begin(repository: Repository, *said: str) -> None:
    repository.create_session(session())
    repository.create_agent("s", agent())
    for number, text in enumerate(said):
        repository.create_message("s", "default", message(text, number))


def listed(repository: Repository, **window: Any) -> list[str]:  # noqa: ANN401
    found = repository.list_messages("s", "default", **window)
    return [one.to_message()["content"][0]["text"] for one in found]
