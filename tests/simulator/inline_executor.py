"""An executor without threads: what a service does in parallel happens one after the other."""

import concurrent.futures
import sys
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, ClassVar, Generic, Self, TypeVar

import pytest

Result = TypeVar("Result")


class _Later(Generic[Result]):
    """What `submit` returns: done at once or when asked for."""

    def __init__(self, act: Callable[[], Result], *, now: bool) -> None:
        self._act = act
        self._done: list[Result] = [act()] if now else []

    def result(self) -> Result:
        if not self._done:
            self._done.append(self._act())
        return self._done[0]


class InlineExecutor:
    """Stands where `ThreadPoolExecutor` stands."""

    eager: ClassVar[bool] = True
    """Whether what is submitted comes before or after what its caller does meanwhile."""

    def __init__(self, max_workers: int = 1) -> None:
        """Take the place of so many threads."""
        del max_workers

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""

    def submit(self, act: Callable[..., Result], *args: Any) -> _Later[Result]:  # noqa: ANN401  # as the standard library
        """Do something, now or later."""
        return _Later(lambda: act(*args), now=self.eager)

    def map(self, act: Callable[..., Result], *items: Iterable[Any]) -> Iterator[Result]:
        """Do something with each item, in their order."""
        return iter([act(*args) for args in zip(*items, strict=False)])


_CAPABILITIES = tuple(
    f"everturn.{name}."
    for name in (
        "consolidation", "conversations", "deletion", "documents", "extraction", "listing",
        "memory", "prompts", "recall", "storage", "transfer", "upkeep",
    )
)  # fmt: skip


def without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all capabilities work in the thread of their caller."""
    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", InlineExecutor)
    for name, module in list(sys.modules.items()):
        if name.startswith(_CAPABILITIES) and hasattr(module, "ThreadPoolExecutor"):
            monkeypatch.setattr(module, "ThreadPoolExecutor", InlineExecutor)
