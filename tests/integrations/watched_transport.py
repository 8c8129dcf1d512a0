"""A transport that keeps what was asked, and does something before a request, after or instead."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from everturn.client import AsyncEverturn, Everturn
from everturn.local.transport import open_async_transport, open_transport

Hook = Callable[[str], Awaitable[None] | None]
Instead = Callable[[str], httpx.Response | None]


def incomplete_once() -> Instead:
    """Answer the first DELETE as a server does that could not remove all in its time."""
    receipts = iter([{"deleted": {"turns": 1}, "complete": False, "remaining": 3}])

    def answer(asked: str) -> httpx.Response | None:
        receipt = next(receipts, None) if asked.startswith("DELETE") else None
        return None if receipt is None else httpx.Response(200, json=receipt)

    return answer


def incomplete_always(asked: str) -> httpx.Response | None:
    """Answer each DELETE so."""
    receipt = {"deleted": {"turns": 1}, "complete": False, "remaining": 3}
    return httpx.Response(200, json=receipt) if asked.startswith("DELETE") else None


class WatchedTransport(httpx.AsyncBaseTransport, httpx.BaseTransport):
    """Passes requests of threads and of tasks on to a directory.

    `asked` has `POST turns`, `GET turns` and so on, `sent` the whole paths. Hooks are told what is
    asked; those of tasks may be awaited.
    """

    def __init__(self, folder: Path) -> None:
        self._blocking = open_transport(folder)
        self._awaited = open_async_transport(folder)
        self.sent: list[str] = []
        self.asked: list[str] = []
        self.before: Hook | None = None
        self.after: Hook | None = None
        self.instead: Instead = lambda _asked: None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        asked = self._noted(request)
        assert self.before is None or self.before(asked) is None
        response = self.instead(asked) or self._blocking.handle_request(request)
        assert self.after is None or self.after(asked) is None
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = self._noted(request)
        await _done(self.before and self.before(asked))
        response = self.instead(asked) or await self._awaited.handle_async_request(request)
        await _done(self.after and self.after(asked))
        return response

    def client(self, *, best_effort: bool = False) -> AsyncEverturn:
        return AsyncEverturn("http://localhost", transport=self, best_effort=best_effort)

    def blocking_client(self, *, best_effort: bool = False) -> Everturn:
        return Everturn("http://localhost", transport=self, best_effort=best_effort)

    def _noted(self, request: httpx.Request) -> str:
        path = request.url.path
        self.sent.append(f"{request.method} {path}")
        self.asked.append(f"{request.method} {path.rpartition('/')[2]}")
        return self.asked[-1]


async def _done(result: Awaitable[None] | None) -> None:
    if result is not None:
        await result
