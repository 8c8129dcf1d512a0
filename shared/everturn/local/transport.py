"""httpx transports that end in a gateway of the same process: no socket, the same events."""

from pathlib import Path
from typing import Protocol

import httpx
from anyio import to_thread

from everturn.errors import EverturnError, MisconfiguredError
from everturn.local.http_messages import (
    MAX_BODY_BYTES,
    HttpAnswer,
    Request,
    ascii_target,
    header_text,
)


class Answering(Protocol):
    """What answers requests, from any thread."""

    def answer(self, request: Request) -> HttpAnswer:
        """Answer one request; never raises."""
        ...

    def refuse(self, error: EverturnError, *, status: int | None = None) -> HttpAnswer:
        """Answer with an error, under a fresh request id."""
        ...


class LambdaTransport(httpx.BaseTransport):
    """Hands each request of an httpx.Client to a gateway; may be used from any thread."""

    def __init__(self, gateway: Answering) -> None:
        """Take the gateway that answers."""
        self._gateway = gateway

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request; never raises a transport error."""
        return _answered(self._gateway, request, request.read())


class AsyncLambdaTransport(httpx.AsyncBaseTransport):
    """The same for an httpx.AsyncClient: a request is answered in a thread, the loop goes on.

    A request that is cancelled is worked on to its end all the same: what it writes is whole.
    """

    def __init__(self, gateway: Answering) -> None:
        """Take the gateway that answers."""
        self._gateway = gateway

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request; never raises a transport error."""
        body = await request.aread()
        return await to_thread.run_sync(_answered, self._gateway, request, body)


def open_transport(directory: Path | str) -> LambdaTransport:
    """Open a store in this process.

    Threads, clients and processes may share a directory. In one process a request waits for the
    one before, whatever the store. A child made by fork opens its own.

    Args:
        directory: where the store lies, made by the first write; or s3://bucket/prefix.

    Raises:
        MisconfiguredError: it is none, the environment has settings that cannot work, or packages
            of the extra `local` are missing.
    """
    return LambdaTransport(_open(directory))


def open_async_transport(directory: Path | str) -> AsyncLambdaTransport:
    """Open a store in this process for an httpx.AsyncClient; otherwise as `open_transport`."""
    return AsyncLambdaTransport(_open(directory))


def _open(directory: Path | str) -> Answering:
    try:
        # Heavy, and made of the packages of an extra.
        from everturn.local.in_process_store import open_store

        return open_store(str(directory))
    except ModuleNotFoundError as exc:
        raise MisconfiguredError(
            f"packages are missing, install everturn[local] missing={exc.name}"
        ) from exc


def _answered(gateway: Answering, request: httpx.Request, body: bytes) -> httpx.Response:
    if len(body) > MAX_BODY_BYTES:
        # Its text alone is needed: guard.py judges requests of sockets.
        from everturn.local.guard import body_too_large

        answer = gateway.refuse(body_too_large())
    else:
        headers = tuple(
            (name.decode("latin-1"), header_text(value)) for name, value in request.headers.raw
        )
        target = ascii_target(request.url.raw_path.decode("latin-1"))
        answer = gateway.answer(Request(request.method, target, headers, body))
    return httpx.Response(answer.status, headers=list(answer.headers), content=answer.body)
