"""One HTTP/1.1 connection.

Reads requests, lets the guard judge them, writes the gateway's answers.
"""

import io
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socket import SHUT_WR
from typing import TYPE_CHECKING, cast

from everturn.errors import EverturnError, MalformedRequestError, TooLargeError
from everturn.local.guard import body_length
from everturn.local.header_lines import HeaderLines
from everturn.local.http_messages import (
    MAX_BODY_BYTES,
    HttpAnswer,
    Request,
    ascii_target,
    header_text,
)

if TYPE_CHECKING:
    from everturn.local.server import FrontServer

# How long a client that is being refused may go on sending what nobody reads.
_LINGER_S = 2.0
_CHUNK_BYTES = 65_536
_TOO_LARGE = frozenset(
    {HTTPStatus.REQUEST_URI_TOO_LONG, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE}
)
# The dummy of requests that were never parsed.
_NO_REQUEST = Request("-", "-")


class Front(BaseHTTPRequestHandler):
    """Serves one connection for as long as the client keeps it open."""

    protocol_version = "HTTP/1.1"
    server_version = "everturn"
    sys_version = ""
    # Without these two every call takes 40 ms: small packets wait for the peer's delayed ACK.
    disable_nagle_algorithm = True
    wbufsize = 65_536
    # An idle connection is closed after this many seconds; one that stalls within a request, too.
    timeout = 60

    def setup(self) -> None:
        """Read through `HeaderLines`; nothing has been read yet."""
        super().setup()
        self._lines = HeaderLines(cast("io.BufferedReader", self.rfile).detach())
        self.rfile = self._lines

    def parse_request(self) -> bool:
        """Parse headers; those of the request before are forgotten, whatever this one is."""
        self.__dict__.pop("headers", None)
        self._lines.begin()
        return super().parse_request()

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Serve every method by one function: routes decide, not this class."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _serve(self) -> None:
        server = self._front_server
        with server.in_flight:
            started_s = server.gateway.clock.monotonic_s()
            request = self._request()
            refused = self._refusal_of(request)
            if refused:
                self._refuse(refused)
                return
            answer = self._answer(request)
            if answer:
                self._send(answer)
                self._log(request, answer.status, started_s)

    def _answer(self, request: Request) -> HttpAnswer | None:
        length = body_length(request)
        body = self.rfile.read(length) if length else b""
        if len(body) < length:
            self.close_connection = True
            return None
        whole = Request(request.method, request.target, request.headers, body)
        return self._front_server.gateway.answer(whole)

    @property
    def _front_server(self) -> "FrontServer":
        return cast("FrontServer", self.server)

    def _request(self) -> Request:
        if not hasattr(self, "headers"):
            return _NO_REQUEST
        headers = tuple(
            (name, header_text(value.encode("latin-1"))) for name, value in self.headers.items()
        )
        return Request(self.command, ascii_target(self.path), headers)

    def _refusal_of(self, request: Request) -> EverturnError | None:
        if self._lines.faulty:
            return MalformedRequestError("a header line is malformed")
        return self._front_server.guard.check(request)

    def handle_expect_100(self) -> bool:
        """Ask for the body only if the request is let in; curl waits for this with big bodies."""
        refused = self._refusal_of(self._request())
        if refused:
            self._refuse(refused)
            return False
        self.send_response_only(HTTPStatus.CONTINUE)
        self.end_headers()
        self.wfile.flush()
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the standard library cannot parse, in the API's own form."""
        del message, explain  # they quote what was sent
        status = HTTPStatus(code)
        kind = TooLargeError if status in _TOO_LARGE else MalformedRequestError
        self._refuse(kind(status.phrase.lower()), status=status)

    def _refuse(self, error: EverturnError, *, status: int | None = None) -> None:
        """Send an error and end the connection: the rest of what was sent means nothing."""
        self.close_connection = True
        server = self._front_server
        started_s = server.gateway.clock.monotonic_s()
        answer = server.gateway.refuse(error, status=status)
        self._send(answer)
        self._log(self._request(), answer.status, started_s)
        self._linger()

    def _send(self, answer: HttpAnswer) -> None:
        # The standard library sends a bare body to what it could not read a version from.
        self.request_version = self.protocol_version
        self.send_response_only(answer.status)
        names = {name for name, _ in answer.headers}
        for name, value in answer.headers:
            if name not in {"content-length", "connection"}:
                self.send_header(name, value)
        if "date" not in names:
            self.send_header("date", self.date_time_string())
        self.send_header("content-length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        self.wfile.flush()

    def _linger(self) -> None:
        """Read off what the client still sends, or a reset would take the answer from it."""
        left = MAX_BODY_BYTES
        try:
            self.connection.shutdown(SHUT_WR)
            self.connection.settimeout(_LINGER_S)
            while left > 0 and (chunk := self.rfile.read1(_CHUNK_BYTES)):
                left -= len(chunk)
        except OSError:
            # It went away first, which is what this waits for.
            return

    def _log(self, request: Request, status: int, started_s: float) -> None:
        took_ms = (self._front_server.gateway.clock.monotonic_s() - started_s) * 1_000
        method = ascii_target(request.method)
        sys.stderr.write(f"{method} {request.raw_path} {status} {took_ms:.1f} ms\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
        """Say nothing: the one line per request is written by `_log`."""
