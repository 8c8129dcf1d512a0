"""Emulate API Gateway and Lambda in one process: request in, handler called, response out.

The local server alone has two pages: the description of the API, and a page to try it. The second
is Swagger UI as Powertools carries it, so it needs no internet. Its parts are files of their own,
since a strict policy forbids scripts inside a page.

`ProcessLock` is a lock of one process. A child made by fork finds it open, even if a thread of the
parent held it.
"""

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Final

from everturn.bootstrap.components import open_backends
from everturn.errors import EverturnError, NotFoundError
from everturn.local.bundle import Bundle, find_bundle
from everturn.local.environment import Overlay, environment_of
from everturn.local.functions import Handler, load_handlers
from everturn.local.guard import refusal
from everturn.local.handler_log import HandlerLog
from everturn.local.http_messages import HttpAnswer, Request
from everturn.local.invocation import TIMEOUT_S, LambdaContext, answer_of, dashed_id, event_of
from everturn.local.routing import RouteMatch, RouteTable
from everturn.local.template import Route, read_routes
from everturn.ports.clock import Clock, Entropy
from everturn.settings.process import read_settings

# Private to Powertools (3.37), which else gives out these files inside a page of its own:
# tests/local/test_pages.py looks for them in the version that is installed.
_PARTS: Final = ("event_handler", "openapi", "swagger_ui")
_HTML: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Everturn</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START: Final = """SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
# Nothing but this server's own files and answers; Swagger UI styles elements as it goes, and draws
# its arrows from data. https://www.w3.org/TR/CSP3/
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_READ: Final = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of one server, which gives out the description in this file."""

    description: Path

    def find(self, request: Request) -> HttpAnswer | None:
        """Answer a request for a page; None where there is none."""
        found = self._all.get(request.raw_path)
        if found is None or request.method not in _READ:
            return None
        media, read = found
        try:
            body = read()
        except FileNotFoundError:
            return None
        return HttpAnswer(200, _headers(media), body)

    @property
    def _all(self) -> "Mapping[str, tuple[str, Callable[[], bytes]]]":
        return {
            "/openapi.json": ("application/json", self.description.read_bytes),
            "/docs": ("text/html; charset=utf-8", _HTML.encode),
            "/docs/start.js": ("text/javascript", _START.encode),
            "/docs/swagger-ui.js": ("text/javascript", lambda: _part("swagger-ui-bundle.min.js")),
            "/docs/swagger-ui.css": ("text/css", lambda: _part("swagger-ui.min.css")),
        }


def _part(name: str) -> bytes:
    return files("aws_lambda_powertools").joinpath(*_PARTS, name).read_bytes()


def _headers(media: str) -> tuple[tuple[str, str], ...]:
    return (
        ("content-type", media),
        ("cache-control", "no-store"),
        ("content-security-policy", _POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    )


class ProcessLock:
    """Lets one thread after another into a block; made at import, and never taken twice by one."""

    def __init__(self) -> None:
        """Make it open."""
        self._renew()
        # The thread that would open it again is not in the child.
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """Wait until no other thread is in the block."""
        self._lock.acquire()

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Let the next one in."""
        self._lock.release()


# Powertools keeps the current event in a class attribute: a process handles one event at a time,
# as a Lambda sandbox does, however many gateways and threads it has.
_ONE_EVENT = ProcessLock()


class Gateway:
    """Routes of a template and the handlers behind them; safe to call from any thread."""

    def __init__(
        self,
        routes: tuple[Route, ...],
        handlers: Mapping[str, Handler],
        *,
        clock: Clock,
        entropy: Entropy,
        log: HandlerLog | None = None,
        pages: Pages | None = None,
    ) -> None:
        """Take the routes, each function's handler by its logical id, where failures go, pages."""
        self._functions = {route.key: route.function.name for route in routes}
        self._table = RouteTable(self._functions)
        self._handlers = handlers
        self._clock = clock
        self._entropy = entropy
        self._log = log or HandlerLog(None)
        self._pages = pages

    @property
    def clock(self) -> Clock:
        """The clock that events are stamped with."""
        return self._clock

    def answer(self, request: Request) -> HttpAnswer:
        """Answer one request; what no route takes is 404, what a handler raises is 500."""
        match = self._table.match(request.method, request.raw_path)
        if match is not None:
            return self._invoke(request, match)
        page = self._pages and self._pages.find(request)
        return page or self.refuse(NotFoundError("there is no such route"))

    def refuse(self, error: EverturnError, *, status: int | None = None) -> HttpAnswer:
        """Answer with an error, under a fresh request id; `status` instead of the error's own."""
        return refusal(error, request_id=self._new_id(), status=status)

    def _invoke(self, request: Request, match: RouteMatch) -> HttpAnswer:
        request_id, name = self._new_id(), self._functions[match.key]
        with _ONE_EVENT:
            now_ns, now_s = self._clock.now_ns(), self._clock.monotonic_s()
            event = event_of(request, match, request_id=request_id, now_ns=now_ns)
            context = LambdaContext(request_id, name, self._clock, now_s + TIMEOUT_S)
            try:
                return answer_of(self._handlers[name](event, context))
            except Exception as error:  # noqa: BLE001 - the Lambda runtime's place, above the edge
                self._log.crashed(error, function_name=name, request_id=request_id, now_ns=now_ns)
        return refusal(EverturnError("something went wrong"), request_id=request_id)

    def _new_id(self) -> str:
        return dashed_id(self._entropy)


def open_gateway(
    settings: Overlay,
    *,
    log: Path | None = None,
    bundle: Bundle | None = None,
) -> Gateway:
    """Build the gateway of the installed template and functions.

    Args:
        settings: environment of the handlers, such as EVERTURN_STORE (None: absent).
        log: the file that handlers log to; nowhere if not given.
        bundle: where template and functions are; found if not given.

    Raises:
        MisconfiguredError: they are missing, or the handlers refuse their settings.
    """
    bundle = bundle or find_bundle()
    routes = read_routes(bundle.template)
    functions = {route.function for route in routes}
    parts = open_backends(read_settings(environment_of(settings)))
    handler_log = HandlerLog(log)
    handlers = load_handlers(functions, bundle=bundle, settings=settings, log=handler_log)
    return Gateway(
        routes,
        handlers,
        clock=parts.clock,
        entropy=parts.entropy,
        log=handler_log,
        pages=Pages(bundle.openapi),
    )
