"""Stores of LangGraph to test side by side: its own, and ours over both clients."""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from langgraph.store.base import BaseStore, IndexConfig, Op, Result
from langgraph.store.memory import InMemoryStore

from everturn.client import AsyncEverturn, Everturn
from everturn.integrations.langgraph.store import EverturnStore

StoreOf = Callable[..., BaseStore]
_WORDS: Final = ("port", "server", "tea", "coffee", "weather")


class Awaited(BaseStore):
    """A store whose operations are awaited ones of another store, in a loop of its own."""

    def __init__(self, inner: BaseStore, runner: asyncio.Runner) -> None:
        self._inner = inner
        self._runner = runner

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._runner.run(self._inner.abatch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._inner.abatch(ops)


@contextmanager
def memory_stores(folder: Path) -> Iterator[StoreOf]:
    """Give stores of LangGraph's own; each is empty."""
    del folder

    def store_of(*, index: IndexConfig | None = None) -> BaseStore:
        return InMemoryStore(index=index)

    yield store_of


@contextmanager
def everturn_stores(folder: Path) -> Iterator[StoreOf]:
    """Give our stores over a client for threads; each is empty, with a space of its own."""
    numbers = count()
    with Everturn.local(folder) as client:

        def store_of(*, index: IndexConfig | None = None) -> BaseStore:
            return EverturnStore(client, index=index, space=f"s{next(numbers)}")

        yield store_of


@contextmanager
def awaited_stores(folder: Path) -> Iterator[StoreOf]:
    """Give the same over a client for tasks."""
    numbers = count()
    with asyncio.Runner() as runner:
        client = AsyncEverturn.local(folder)

        def store_of(*, index: IndexConfig | None = None) -> BaseStore:
            return Awaited(EverturnStore(client, index=index, space=f"s{next(numbers)}"), runner)

        yield store_of
        runner.run(client.aclose())


KINDS: Final = {
    "memory": memory_stores,
    "everturn": everturn_stores,
    "awaited": awaited_stores,
}


def embed_words(texts: Sequence[str]) -> list[list[float]]:
    """Embed texts by the words that they have: equal words, equal directions."""
    return [[float(word in text) for word in _WORDS] + [0.1] for text in texts]


async def aembed_words(texts: Sequence[str]) -> list[list[float]]:
    """As `embed_words`, awaited."""
    return embed_words(texts)


def cosine(one: str, other: str) -> float:
    """The cosine of two texts as `embed_words` sees them."""
    first, second = embed_words([one, other])
    product = sum(a * b for a, b in zip(first, second, strict=True))
    return product / math.hypot(*first) / math.hypot(*second)
