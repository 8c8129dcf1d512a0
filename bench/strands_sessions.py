"""Sessions of Strands Agents: its own S3SessionManager's and ours, on one emulated S3, in one run.

Its FileSessionManager stands beside them. Shown are two processes that run one session at once, and
what is there then; what an append costs; what it costs to open a long session again. It fails if
ours loses a message.
"""

import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Final

from counted_moto import BUCKET, Asked, counted_moto
from measuring import Row, options, report
from strands import Agent
from strands.session import FileSessionManager, S3SessionManager
from strands.session.repository_session_manager import RepositorySessionManager
from strands.types.content import Message, Role

from everturn.client import Everturn
from everturn.integrations.strands.sessions import EverturnSessionManager

# The model is that of the tests.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from integrations.strands.strands_model import ScriptedModel, texts

TEXT: Final = "Please look the order up and tell me when it leaves the warehouse. " * 4
# What reopening may cost us: the session, its agent, and pages of turns from a head and segments.
_MOST_REQUESTS: Final = 12
_START_TIMEOUT_S, _END_TIMEOUT_S = 60, 600

Opened = Callable[[str], RepositorySessionManager]


@dataclass(frozen=True, slots=True)
class Place:
    """Where sessions are kept: whose they are, and a folder for those on disk."""

    kind: str
    folder: str

    @contextmanager
    def opener(self) -> Iterator[Opened]:
        """Give what opens a session, the first of a process or one more."""
        if self.kind == "S3SessionManager":
            yield lambda id_: S3SessionManager(id_, bucket=BUCKET, prefix="strands")
        elif self.kind == "FileSessionManager":
            yield lambda id_: FileSessionManager(id_, storage_dir=self.folder)
        else:
            with Everturn.local(f"s3://{BUCKET}/memory") as client:
                yield lambda id_: EverturnSessionManager(id_, client)


KINDS: Final = ("S3SessionManager", "FileSessionManager", "Everturn")


def agent_of(manager: RepositorySessionManager, model: ScriptedModel | None = None) -> Agent:
    """Return an agent of a session, restored."""
    return Agent(model=model or ScriptedModel(), session_manager=manager, callback_handler=None)


def speak(place: Place, writer: int, calls: int, start: Barrier, took: "Queue[float]") -> None:
    """Run an agent, as one process of two: each call says what it was asked, and answers."""
    asked = [f"{writer}.{call}" for call in range(calls)]
    model = ScriptedModel(*(f"answer {text}" for text in asked))
    with place.opener() as opened:
        agent = agent_of(opened("shared"), model)
        start.wait(_START_TIMEOUT_S)
        start.wait(_START_TIMEOUT_S)
        began_s = time.perf_counter()
        for text in asked:
            agent(text)
        took.put(time.perf_counter() - began_s)


def two_at_once(place: Place, asked: Asked, calls: int) -> Row:
    """Let two processes run one session, and look at what a third one finds."""
    context = multiprocessing.get_context("spawn")
    with place.opener() as opened:
        agent_of(opened("shared"))
        start, took = context.Barrier(3), context.Queue()
        writers = [
            context.Process(target=speak, args=(place, n, calls, start, took)) for n in range(2)
        ]
        for writer in writers:
            writer.start()
        # Both have opened the session: what they are asked from now on counts.
        start.wait(_START_TIMEOUT_S)
        asked.reset()
        start.wait(_START_TIMEOUT_S)
        seconds = max(took.get(timeout=_END_TIMEOUT_S) for _ in writers)
        for writer in writers:
            writer.join()
        counted = counts(asked, 1)
        found = Counter(texts(agent_of(opened("shared")).messages))
    said = [f"{n}.{call}" for n in range(2) for call in range(calls)]
    said += [f"answer {text}" for text in said]
    lost = sum(found[text] == 0 for text in said)
    doubled = sum(count > 1 for count in found.values())
    return {
        "what": "two at once", "sessions": place.kind, "messages": len(said),
        "found": found.total(), "lost": lost, "doubled": doubled, **counted, "ms": seconds * 1e3,
    }  # fmt: skip


def appended(place: Place, asked: Asked, messages: int) -> Row:
    """Append one by one: cost of one."""
    with place.opener() as opened:
        manager = opened("long")
        agent = agent_of(manager)
        manager.append_message(message(0), agent)
        asked.reset()
        began_s = time.perf_counter()
        for n in range(1, messages):
            manager.append_message(message(n), agent)
        ms = (time.perf_counter() - began_s) * 1e3 / (messages - 1)
    return {
        "what": "append", "sessions": place.kind, "messages": messages,
        "found": messages, "lost": 0, "doubled": 0, **counts(asked, messages - 1), "ms": ms,
    }  # fmt: skip


def reopened(place: Place, asked: Asked, messages: int) -> Row:
    """Open a session again, as the next process would."""
    with place.opener() as opened:
        opened("shared")
        asked.reset()
        began_s = time.perf_counter()
        agent = agent_of(opened("long"))
        ms = (time.perf_counter() - began_s) * 1e3
    assert agent.messages == [message(n) for n in range(messages)]
    return {
        "what": "reopen", "sessions": place.kind, "messages": messages,
        "found": len(agent.messages), "lost": 0, "doubled": 0, **counts(asked, 1), "ms": ms,
    }  # fmt: skip


def message(number: int) -> Message:
    """Return one of a long session's."""
    role: Role = "assistant" if number % 2 else "user"
    return {"role": role, "content": [{"text": f"{number}: {TEXT}"}], "tracking_id": str(number)}


def counts(asked: Asked, among: int) -> dict[str, float]:
    """Return what S3 was asked, for each of so many."""
    named = {verb: asked.verbs[verb] / among for verb in ("GET", "PUT", "LIST")}
    other = asked.verbs.total() / among - sum(named.values())
    return {
        **named, "other": other, "requests": asked.verbs.total() / among,
        "sent B": asked.sent / among, "received B": asked.received / among,
    }  # fmt: skip


def check(rows: list[Row]) -> None:
    """Fail if ours loses or doubles a message, or costs more than it may."""
    for row in rows:
        if row["sessions"] == "Everturn":
            assert (row["lost"], row["doubled"], row["found"]) == (0, 0, row["messages"]), row
            most = {"append": 1.5, "reopen": _MOST_REQUESTS}.get(str(row["what"]))
            assert most is None or float(row["requests"]) <= most, row


def main() -> None:
    """Run it."""
    asked_for = options(__doc__ or "", messages=1_000, calls=20)
    messages, calls = (40, 4) if asked_for.quick else (asked_for.messages, asked_for.calls)
    with tempfile.TemporaryDirectory() as folder, counted_moto() as (_, asked):
        places = [Place(kind, folder) for kind in KINDS]
        rows = [two_at_once(place, asked, calls) for place in places]
        for measure in (appended, reopened):
            rows += [measure(place, asked, messages) for place in places]
    report(f"two agents at once with {calls} calls each; {messages} messages", rows, asked_for.json)
    check(rows)


if __name__ == "__main__":
    main()
