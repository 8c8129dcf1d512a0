"""Histories of LangChain to test side by side: its own, and ours, called in every way."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.messages import BaseMessage

from everturn.client import AsyncEverturn, Everturn
from everturn.integrations.langchain.history import EverturnChatMessageHistory
from integrations.watched_transport import WatchedTransport

HistoryOf = Callable[[str], "Called"]


@dataclass(frozen=True)
class Called:
    """A history, and how it is called: its methods, or those that are awaited by a runner."""

    history: BaseChatMessageHistory
    runner: asyncio.Runner | None = None

    def add(self, messages: Sequence[BaseMessage]) -> None:
        if self.runner is None:
            self.history.add_messages(messages)
        else:
            self.runner.run(self.history.aadd_messages(messages))

    def read(self) -> list[BaseMessage]:
        if self.runner is None:
            return self.history.messages
        return self.runner.run(self.history.aget_messages())

    def clear(self) -> None:
        if self.runner is None:
            self.history.clear()
        else:
            self.runner.run(self.history.aclear())


@contextmanager
def in_memory(_folder: Path, runner: asyncio.Runner | None) -> Iterator[HistoryOf]:
    """Give LangChain's own histories."""
    made: dict[str, InMemoryChatMessageHistory] = {}

    def history_of(session_id: str) -> Called:
        return Called(made.setdefault(session_id, InMemoryChatMessageHistory()), runner)

    yield history_of


@contextmanager
def everturn(folder: Path, runner: asyncio.Runner | None) -> Iterator[HistoryOf]:
    """Give our histories with a client of threads."""
    with Everturn.local(folder) as client:
        yield lambda session_id: Called(EverturnChatMessageHistory(session_id, client), runner)


@contextmanager
def async_everturn(folder: Path, runner: asyncio.Runner | None) -> Iterator[HistoryOf]:
    """Give our histories with a client of tasks."""
    assert runner is not None
    client = AsyncEverturn.local(folder)
    yield lambda session_id: Called(EverturnChatMessageHistory(session_id, client), runner)
    runner.run(client.aclose())


@contextmanager
def histories(kind: str, folder: Path) -> Iterator[HistoryOf]:
    """Give histories of a kind, called in its way."""
    make, is_awaited = KINDS[kind]
    if not is_awaited:
        with make(folder, None) as history_of:
            yield history_of
        return
    with asyncio.Runner() as runner, make(folder, runner) as history_of:
        yield history_of


def awaited(
    folder: Path, rule: Callable[[EverturnChatMessageHistory], Coroutine[Any, Any, None]]
) -> list[str]:
    """Run a rule on a natively awaited history; return what was asked."""
    wire = WatchedTransport(folder)

    async def main() -> None:
        async with wire.client() as client:
            await rule(EverturnChatMessageHistory("one", client))

    asyncio.run(main())
    return wire.asked


KINDS = {
    "langchain": (in_memory, False),
    "langchain, awaited": (in_memory, True),
    "everturn": (everturn, False),
    "everturn, awaited": (everturn, True),
    "everturn, natively awaited": (async_everturn, True),
}
