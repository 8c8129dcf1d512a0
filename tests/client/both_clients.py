"""The client for asyncio, called as the one for threads is, so that one test holds for both."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast

from everturn.client import AsyncEverturn, Everturn


class _Blocking:
    def __init__(self, client: AsyncEverturn, runner: asyncio.Runner) -> None:
        self._client = client
        self._runner = runner

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        def called(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as the method's own
            made = method(*args, **kwargs)
            return self._walked(made) if inspect.isasyncgen(made) else self._runner.run(made)

        return called

    def _walked(self, items: AsyncIterator[Any]) -> Iterator[Any]:
        while True:
            try:
                yield self._runner.run(_next(items))
            except StopAsyncIteration:
                return


async def _next(items: AsyncIterator[Any]) -> Any:  # noqa: ANN401 - whatever is iterated over
    return await anext(items)


def blocking(client: AsyncEverturn, runner: asyncio.Runner) -> Everturn:
    """Return a client whose methods wait for those of `client`, which live in the runner's loop."""
    return cast("Everturn", _Blocking(client, runner))
