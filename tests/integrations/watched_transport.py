"""Transports that keep what was asked, and do something before a request, after it or in its place.

Not here: what answers (everturn.local.transport).
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from everturn.client import AsyncEverturn, Everturn
from everturn.local.transport import open_async_transport, open_transport

Hook = Callable[[str], Awaitable[None]]
Instead = Callable[[str], httpx.Response | None]


def incomplete_once() -> Instead:
    """Answer the first DELETE as a server does that could not remove all in its time."""
    receipts = iter([{"deleted": {"turns": 1}, "complete": False, "remaining": 3}])

    def answer(asked: str) -> httpx.Response | None:
        receipt = next(receipts, None) if asked.startswith("DELETE") else None
        return None if receipt is None else httpx.Response(200, json=receipt)

    return answer


class WatchedTransport(httpx.AsyncBaseTransport):
    """Passes requests on to a directory; `asked` has `POST turns`, `GET turns` and so on."""

    def __init__(self, folder: Path) -> None:
        self._inner = open_async_transport(folder)
        self.asked: list[str] = []
        self.before: Hook | None = None
        self.after: Hook | None = None
        self.instead: Instead = lambda _asked: None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = _named(request)
        self.asked.append(asked)
        if self.before is not None:
            await self.before(asked)
        response = self.instead(asked) or await self._inner.handle_async_request(request)
        if self.after is not None:
            await self.after(asked)
        return response

    def client(self, *, best_effort: bool = False) -> AsyncEverturn:
        return AsyncEverturn("http://localhost", transport=self, best_effort=best_effort)


class WatchedBlockingTransport(httpx.BaseTransport):
    """The same for a client of threads."""

    def __init__(self, folder: Path) -> None:
        self._inner = open_transport(folder)
        self.asked: list[str] = []
        self.before: Callable[[str], None] | None = None
        self.instead: Instead = lambda _asked: None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        asked = _named(request)
        self.asked.append(asked)
        if self.before is not None:
            self.before(asked)
        return self.instead(asked) or self._inner.handle_request(request)

    def client(self) -> Everturn:
        return Everturn("http://localhost", transport=self)


def _named(request: httpx.Request) -> str:
    return f"{request.method} {request.url.path.rpartition('/')[2]}"
