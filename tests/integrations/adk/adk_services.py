"""Session services of Google ADK to test side by side: its own, and ours over both clients."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types
from pydantic import PrivateAttr
from typing_extensions import override

from everturn.client import AsyncEverturn, Everturn
from everturn.integrations.adk.sessions import EverturnSessionService

ANN: Final[dict[str, Any]] = {"app_name": "shop", "user_id": "ann"}


@asynccontextmanager
async def memory_service(folder: Path) -> AsyncIterator[BaseSessionService]:
    """Give a service of ADK's own."""
    del folder
    yield InMemorySessionService()


@asynccontextmanager
async def everturn_service(folder: Path) -> AsyncIterator[BaseSessionService]:
    """Give ours over a client for tasks."""
    async with AsyncEverturn.local(folder) as client:
        yield EverturnSessionService(client)


@asynccontextmanager
async def threads_service(folder: Path) -> AsyncIterator[BaseSessionService]:
    """Give ours over a client for threads."""
    with Everturn.local(folder) as client:
        yield EverturnSessionService(client)


@asynccontextmanager
async def users_service(folder: Path) -> AsyncIterator[BaseSessionService]:
    """Give ours with a client for each user."""
    clients: dict[str, Everturn] = {}

    def client_for(user_id: str) -> Everturn:
        return clients.setdefault(user_id, Everturn.local(folder, actor=f"user {user_id}"))

    with Everturn.local(folder) as shared:
        yield EverturnSessionService(shared, client_for=client_for)
    for client in clients.values():
        client.close()


KINDS: Final = {
    "memory": memory_service,
    "everturn": everturn_service,
    "threads": threads_service,
    "users": users_service,
}


def said(text: str, author: str = "user", **fields: Any) -> Event:  # noqa: ANN401 - any field
    """An event that says something."""
    role = "user" if author == "user" else "model"
    content = types.Content(role=role, parts=[types.Part(text=text)])
    return Event(author=author, content=content, invocation_id="i1", **fields)


async def begun(service: BaseSessionService, *lines: str, id_: str = "s") -> Session:
    """A session with events at times of their own: 1,000, 1,001 and so on."""
    session = await service.create_session(**ANN, session_id=id_)
    for number, line in enumerate(lines):
        await service.append_event(session, said(line, timestamp=1_000.0 + number))
    return session


def changing(**delta: Any) -> Event:  # noqa: ANN401 - any state
    """An event that changes the state; `app__x` is `app:x`."""
    told = {name.replace("__", ":"): value for name, value in delta.items()}
    return Event(author="guide", invocation_id="i1", actions=EventActions(state_delta=told))


def texts(session: Session | None) -> list[str]:
    """What was said in a session."""
    assert session is not None
    return [
        part.text or ""
        for event in session.events
        for part in (event.content.parts if event.content else None) or []
    ]


class ScriptedLlm(BaseLlm):
    """A model that says what it is told to, and remembers what it was asked."""

    model: str = "scripted"
    answers: list[types.Part]
    _asked: list[LlmRequest] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[LlmRequest]:
        """Its requests."""
        return self._asked

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Give the next answer."""
        del stream
        self._asked.append(llm_request)
        part = self.answers[len(self._asked) - 1]
        yield LlmResponse(content=types.Content(role="model", parts=[part]))
