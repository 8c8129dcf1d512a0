"""The HTTP server of one process: a thread per connection, on a socket that others may share.

`Front` serves one HTTP/1.1 connection: it reads requests, asks the guard, and writes the gateway's
responses.

`HeaderLines` notices lines that are not header lines. The standard library drops them and all that
follow, or reads them as other headers. The request could then act for another user.
"""

import errno
import io
import re
import socket
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_WR
from types import TracebackType
from typing import cast

from everturn.errors import EverturnError, MalformedRequestError, MisconfiguredError, TooLargeError
from everturn.local.gateway import Gateway
from everturn.local.guard import Guard, body_length
from everturn.local.http_messages import (
    MAX_BODY_BYTES,
    HttpAnswer,
    Request,
    ascii_target,
    header_text,
)

# A burst of clients waits here instead of being refused.
_BACKLOG = 128
# No file descriptors are left, in this process or at all.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE})
_EXHAUSTED_PAUSE_S = 0.05


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket that several processes can accept on; port 0 is any free one.

    Raises:
        MisconfiguredError: the port is taken, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Without it a restarted server waits a minute for old connections to be forgotten.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as exc:
        listener.close()
        reason = exc.strerror or str(exc)
        message = f"cannot listen: {reason.lower()} host={host} port={port}"
        raise MisconfiguredError(message) from exc
    # Whoever loses the race for a connection must not block in accept().
    listener.setblocking(False)  # noqa: FBT003 - the name of the standard library
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address of a listening socket as a URL, without a final slash."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class InFlight:
    """Counts the requests being answered, so that an end can wait for them."""

    def __init__(self) -> None:
        """Start at none."""
        self._changed = threading.Condition()
        self._count = 0

    def __enter__(self) -> None:
        """One more."""
        with self._changed:
            self._count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """One less."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait_until_none(self, timeout_s: float) -> bool:
        """Wait for all of them; False if some are left after this many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout_s)


class FrontServer(ThreadingHTTPServer):
    """Answers through one gateway on a socket made by `listen`."""

    # Idle keep-alive connections must not hold up the end.
    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, gateway: Gateway, *, host: str) -> None:
        """Serve on `listener`; `host` is the address asked for, which Host headers may name."""
        super().__init__(listener.getsockname()[:2], Front, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = listener.getsockname()[:2]
        self.gateway = gateway
        self.guard = Guard(host)
        self.in_flight = InFlight()

    def get_request(self) -> tuple[socket.socket, object]:
        """Accept one connection; it blocks, whatever the listening socket does."""
        try:
            connection, address = super().get_request()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                # The connection stays in the queue: without a pause this would spin.
                self.gateway.clock.sleep(_EXHAUSTED_PAUSE_S)
            raise
        connection.setblocking(True)  # noqa: FBT003 - the name of the standard library
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - the base's
        """Say in one line what ended a connection; a client that went away is not worth one."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            # Its message may quote what was sent.
            sys.stderr.write(f"a connection failed error={type(error).__name__}\n")


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


# RFC 9112, section 5: a name, no blank before the colon, no folding; section 2.2: no bare CR.
# https://www.rfc-editor.org/rfc/rfc9112#section-5
_HEADER_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r?\n")
_ENDS = frozenset({b"\r\n", b"\n"})


class HeaderLines(io.BufferedReader):
    """A connection's reader; `faulty` says whether a line since `begin` was no header line."""

    faulty = False

    def begin(self) -> None:
        """Forget the lines so far: headers begin here."""
        self.faulty = False

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read a line as ever; the end of the connection is no end of the headers."""
        line = super().readline(size)
        self.faulty |= line not in _ENDS and _HEADER_LINE.fullmatch(line) is None
        return line
