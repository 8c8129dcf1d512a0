"""Sessions of the OpenAI Agents SDK to test side by side: its own, and ours."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from agents import SQLiteSession
from agents.memory import SessionABC

from everturn.client import AsyncEverturn
from everturn.integrations.openai_agents.session import EverturnSession

SessionOf = Callable[..., SessionABC]


@asynccontextmanager
async def sqlite_sessions(folder: Path) -> AsyncIterator[SessionOf]:
    """Give sessions of the SDK's own, of one file."""
    with_closing = AsyncExitStack()

    def session_of(session_id: str, **settings: Any) -> SQLiteSession:  # noqa: ANN401
        session = SQLiteSession(session_id, folder / "sessions.db", **settings)
        with_closing.callback(session.close)
        return session

    async with with_closing:
        yield session_of


@asynccontextmanager
async def everturn_sessions(folder: Path) -> AsyncIterator[SessionOf]:
    """Give our sessions, of one directory."""
    async with AsyncEverturn.local(folder) as client:

        def session_of(session_id: str, **settings: Any) -> EverturnSession:  # noqa: ANN401
            return EverturnSession(session_id, client, **settings)

        yield session_of


KINDS = {"sqlite": sqlite_sessions, "everturn": everturn_sessions}
