"""API Gateway and Lambda in one process: a request in, a handler called, an answer out."""

from collections.abc import Mapping
from pathlib import Path

from everturn.bootstrap.components import open_backends
from everturn.errors import EverturnError, NotFoundError
from everturn.local.bundle import Bundle, find_bundle
from everturn.local.environment import Overlay, environment_of
from everturn.local.functions import Handler, load_handlers
from everturn.local.handler_log import HandlerLog
from everturn.local.http_messages import HttpAnswer, Request
from everturn.local.invocation import TIMEOUT_S, LambdaContext, answer_of, dashed_id, event_of
from everturn.local.pages import Pages
from everturn.local.process_lock import ProcessLock
from everturn.local.refusals import refusal
from everturn.local.routing import RouteMatch, RouteTable
from everturn.local.template import Route, read_routes
from everturn.ports.clock import Clock, Entropy
from everturn.settings.process import read_settings

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
