"""An httpx.AsyncClient for each event loop: connections are of the loop that opened them."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import httpx

from everturn.client.connection import CLOSED
from everturn.errors import InvalidRequestError


class LoopClients:
    """Clients of httpx by their event loop; each is closed with its loop.

    Loops may run in several threads: each touches what is its own.
    """

    def __init__(self, make: Callable[[], httpx.AsyncClient]) -> None:
        """Take what makes a client; nothing is made before a loop asks for it."""
        self._make = make
        self._held: dict[asyncio.AbstractEventLoop, _Held] = {}
        self._is_closed = False

    async def here(self) -> httpx.AsyncClient:
        """Return the client of the running loop.

        Raises:
            InvalidRequestError: this was closed.
        """
        if self._is_closed:
            raise InvalidRequestError(CLOSED)
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None or held.client.is_closed:
            for ended in [other for other in list(self._held) if other.is_closed()]:
                self._held.pop(ended, None)
            held = self._held[loop] = _Held(self._make())
            await held.begin()
        return held.client

    async def aclose(self) -> None:
        """Close the running loop's connections; those of another loop go when it ends."""
        self._is_closed = True
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.end()


class _Held:
    """A client that is closed when its loop shuts down, by whoever runs the loop.

    Loops close the asynchronous generators that were begun in them and not ended: it is the one
    thing that they do for others when they end. https://peps.python.org/pep-0525/
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self._closing = _closed_at_last(client)

    async def begin(self) -> None:
        await anext(self._closing)

    async def end(self) -> None:
        await self._closing.aclose()


async def _closed_at_last(client: httpx.AsyncClient) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await client.aclose()
