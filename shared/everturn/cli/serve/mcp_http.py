"""Serves MCP over streamable HTTP until Ctrl-C, to this machine's own programs.

Each request stands alone: no session is kept that could be lost or taken over.
"""

import json
import socket
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import anyio
import uvicorn
from mcp_types import INVALID_REQUEST
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from everturn.cli.serve.mcp_startup_check import say_trouble
from everturn.client import AsyncEverturn
from everturn.edge.identity import ACTOR_HEADER, TENANT_HEADER
from everturn.errors import EverturnError, ForbiddenError, TooLargeError, UnsupportedMediaError
from everturn.integrations.mcp.answers import line_of
from everturn.integrations.mcp.server import memory_server
from everturn.local.guard import Guard, LengthRequiredError, values_of
from everturn.local.http_messages import MAX_BODY_BYTES, Request, ascii_target, header_text
from everturn.local.workers import stop_signals

PATH: Final = "/mcp"

_STATUS: Final[dict[type[EverturnError], HTTPStatus]] = {
    ForbiddenError: HTTPStatus.FORBIDDEN,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedMediaError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    LengthRequiredError: HTTPStatus.LENGTH_REQUIRED,
}
# Longer than a request may take: the functions' timeout is 20 s (template.yaml).
_END_TIMEOUT_S: Final = 21


def serve_http(memory: AsyncEverturn, listener: socket.socket, *, host: str, version: str) -> None:
    """Serve on a listening socket until Ctrl-C or SIGTERM; what is in flight is answered.

    Args:
        memory: whose memory it is; closed at the end.
        listener: what is listened on.
        host: the address that was asked for, which says who is let in.
        version: what the server says of itself.
    """
    # uvicorn ends at these signals and raises them again, which would end the process roughly.
    with stop_signals():
        anyio.run(_serve, memory, listener, host, version)


async def _serve(memory: AsyncEverturn, listener: socket.socket, host: str, version: str) -> None:
    server = memory_server(memory, version=version)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        host=host,
    )
    config = uvicorn.Config(
        GuardedApp(app, Guard(host)),
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=_END_TIMEOUT_S,
    )
    async with memory, anyio.create_task_group() as tasks:
        tasks.start_soon(say_trouble, memory)
        await uvicorn.Server(config).serve(sockets=[listener])
        tasks.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class GuardedApp:
    """An ASGI application behind the guard: a page of somebody else must not reach the memory."""

    app: ASGIApp
    guard: Guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what may come in, and refuse the rest by an error of JSON-RPC."""
        answer = self._refused(scope) if scope["type"] == "http" else None
        await (answer or self.app)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        request = _request_of(scope)
        error = self.guard.check(request) or _check_user(request)
        if error is not None:
            status = _STATUS.get(type(error), HTTPStatus.BAD_REQUEST)
            return _refusal(status, line_of(error))
        if request.method != "POST":
            # https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
            return _refusal(HTTPStatus.METHOD_NOT_ALLOWED, "only post is served", allow="POST")
        return None


def _request_of(scope: Scope) -> Request:
    headers = tuple(
        (name.decode("latin-1"), header_text(value)) for name, value in scope["headers"]
    )
    target = ascii_target(scope["raw_path"].decode("latin-1"))
    return Request(scope["method"], target, headers)


def _check_user(request: Request) -> EverturnError | None:
    """Whose memory it is was settled at the start; who names another must not be misled."""
    named = [name for name in (TENANT_HEADER, ACTOR_HEADER) if values_of(request, name)]
    if not named:
        return None
    return ForbiddenError("the user of this server is fixed at its start", field=named[0])


def _refusal(status: HTTPStatus, message: str, **headers: str) -> Response:
    error = {"code": INVALID_REQUEST, "message": message}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error})
    return Response(body, status, headers, media_type="application/json")
