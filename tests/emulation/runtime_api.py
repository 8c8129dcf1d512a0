"""Lambda's Runtime API on loopback, for one process: it hands out events and takes answers.

Paths and headers:
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import itertools
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import Any, Final, Literal

from everturn.ports.clock import Clock

MAX_ANSWER_BYTES: Final = 6 * 1_048_576
"""https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""
ACCOUNT: Final = "123456789012"
_RUNTIME: Final = "/2018-06-01/runtime"

Kind = Literal["taken", "response", "error", "init error", "exit"]


_ANSWERS: Final[dict[str, Kind]] = {"response": "response", "error": "error"}


@dataclass(frozen=True, slots=True)
class Happening:
    """What a process did: asked for the event and got it, answered, failed, or ended."""

    kind: Kind
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class _Event:
    request_id: str
    body: bytes


@dataclass(slots=True)
class RuntimeApi:
    """Serves one process from `start` to `stop`; `happened` hears of what that process does.

    `timeout_s` is the function's: an event's deadline is so many seconds after it was taken.
    """

    name: str
    timeout_s: float
    clock: Clock
    happened: Callable[[Happening], None]
    _server: "_Server" = field(init=False)
    _events: SimpleQueue[_Event | None] = field(default_factory=SimpleQueue)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def start(self) -> str:
        """Return the address, `host:port`, that AWS_LAMBDA_RUNTIME_API is to hold."""
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Let go whoever waits for an event, and serve no more."""
        self._events.put(None)
        self._server.shutdown()
        self._server.server_close()

    def send(self, body: bytes) -> str:
        """Have an event handed out; return the id of its request."""
        number = next(self._numbers)
        request_id = f"00000000-0000-4000-8000-{number:012d}"
        self._events.put(_Event(request_id, body))
        return request_id

    def take(self) -> tuple[dict[str, str], bytes] | None:
        """Wait for an event; None when there will be none."""
        event = self._events.get()
        if event is None:
            return None
        deadline_ms = self.clock.now_ns() // 1_000_000 + int(self.timeout_s * 1_000)
        headers = {
            "Content-Type": "application/json",
            "Lambda-Runtime-Aws-Request-Id": event.request_id,
            "Lambda-Runtime-Deadline-Ms": str(deadline_ms),
            "Lambda-Runtime-Invoked-Function-Arn": (
                f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{self.name}"
            ),
            "Lambda-Runtime-Trace-Id": f"Root=1-00000000-{event.request_id[-12:]:0>24};Sampled=0",
        }
        self.happened(Happening("taken"))
        return headers, event.body


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: RuntimeApi) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.api = api

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - as there
        """Pass over a process that was ended with its connection open."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Door(BaseHTTPRequestHandler):
    """One connection of the process."""

    server: _Server
    protocol_version = "HTTP/1.1"
    # Sent in one piece and at once: else each answer waits 40 ms for an acknowledgement.
    wbufsize = 65_536
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Keep silent: a test's output is the process's."""

    def handle_expect_100(self) -> bool:
        """Ask for a large answer at once: its sender waits a second for this."""
        asked = super().handle_expect_100()
        self.wfile.flush()
        return asked

    def do_GET(self) -> None:
        if self.path != f"{_RUNTIME}/invocation/next":
            self._reply(HTTPStatus.NOT_FOUND)
        elif (taken := self.server.api.take()) is None:
            self.close_connection = True
        else:
            self._reply(HTTPStatus.OK, *taken)

    def do_POST(self) -> None:
        kind = self._kind()
        if kind is None:
            self._reply(HTTPStatus.NOT_FOUND)
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) > MAX_ANSWER_BYTES:
            self._reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        self._reply(HTTPStatus.ACCEPTED)
        self.server.api.happened(Happening(kind, body))

    def _kind(self) -> Kind | None:
        if self.path == f"{_RUNTIME}/init/error":
            return "init error"
        if not self.path.startswith(f"{_RUNTIME}/invocation/"):
            return None
        return _ANSWERS.get(self.path.rpartition("/")[2])

    def _reply(
        self, status: HTTPStatus, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
