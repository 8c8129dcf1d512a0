"""API Gateway and Lambda in one process: a request in, a handler called, an answer out.

Not here: sockets (front.py) and httpx (transport.py); both answer through this one door.
"""

import base64
import logging
import threading
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from everturn.bootstrap import open_backends
from everturn.local.environment import Overlay, environment_of
from everturn.local.functions import Handler, load_handlers
from everturn.local.handler_log import FRONT_LOGGER, log_to
from everturn.local.invocation import TIMEOUT_S, LambdaContext, event_of
from everturn.local.messages import Answer, Request, refusal
from everturn.local.places import Places, find_places
from everturn.local.routing import RouteMatch, RouteTable
from everturn.local.template import Route, read_routes
from everturn.ports.clock import Clock, Entropy
from everturn.settings import read_settings

# Powertools keeps the current event in a class attribute: a process handles one event at a time,
# as a Lambda sandbox does, however many gateways and threads it has.
_ONE_EVENT = threading.Lock()


class Gateway:
    """Routes of a template and the handlers behind them; safe to call from any thread."""

    def __init__(
        self,
        routes: tuple[Route, ...],
        handlers: Mapping[str, Handler],
        *,
        clock: Clock,
        entropy: Entropy,
    ) -> None:
        """Take the routes, and each function's handler by its logical id."""
        self._functions = {route.key: route.function.name for route in routes}
        self._table = RouteTable(self._functions)
        self._handlers = handlers
        self._clock = clock
        self._entropy = entropy

    @property
    def clock(self) -> Clock:
        """The clock that events are stamped with."""
        return self._clock

    def answer(self, request: Request) -> Answer:
        """Answer one request; what no route takes is 404, what a handler raises is 500."""
        match = self._table.match(request.method, request.raw_path)
        if match is None:
            return self.refuse(HTTPStatus.NOT_FOUND, "no such route")
        return self._invoke(request, match)

    def refuse(self, status: int, message: str) -> Answer:
        """Return an error that the front makes itself, under a fresh request id."""
        return refusal(status, message, request_id=self._new_id())

    def _invoke(self, request: Request, match: RouteMatch) -> Answer:
        request_id, name = self._new_id(), self._functions[match.key]
        with _ONE_EVENT:
            now_ns, now_s = self._clock.now_ns(), self._clock.monotonic_s()
            event = event_of(request, match, request_id=request_id, now_ns=now_ns)
            context = LambdaContext(request_id, name, self._clock, now_s + TIMEOUT_S)
            try:
                return answer_of(self._handlers[name](event, context))
            except Exception:
                # This is the Lambda runtime's place, above the edge; the trace is for the log.
                logging.getLogger(FRONT_LOGGER).exception("handler failed, request=%s", request_id)
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return refusal(status, "internal error", request_id=request_id)

    def _new_id(self) -> str:
        digits = self._entropy.token(16).hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def answer_of(result: Any) -> Answer:  # noqa: ANN401 - whatever a handler returns
    """Read a handler's result as API Gateway does (payload 2.0, the form with a statusCode).

    Raises:
        AttributeError, KeyError, TypeError, ValueError: it is no such result.
    """
    body = "" if result.get("body") is None else result["body"]
    encoded = result.get("isBase64Encoded", False)
    headers = [(str(k).lower(), str(v)) for k, v in (result.get("headers") or {}).items()]
    for name, values in (result.get("multiValueHeaders") or {}).items():
        headers += [(str(name).lower(), str(value)) for value in values]
    headers += [("set-cookie", str(cookie)) for cookie in result.get("cookies") or []]
    content = base64.b64decode(body) if encoded else body.encode()
    return Answer(int(result["statusCode"]), tuple(headers), content)


def open_gateway(
    settings: Overlay,
    *,
    log: Path | None = None,
    places: Places | None = None,
) -> Gateway:
    """Build the gateway of the installed template and functions.

    Args:
        settings: environment of the handlers, such as EVERTURN_STORE (None: absent).
        log: the file that handlers log to; nowhere if not given.
        places: where template and functions are; found if not given.

    Raises:
        MisconfiguredError: they are missing, or the handlers refuse their settings.
    """
    places = places or find_places()
    routes = read_routes(places.template)
    functions = {route.function for route in routes}
    parts = open_backends(read_settings(environment_of(settings)))
    handlers = load_handlers(functions, places=places, settings=settings)
    log_to(log)
    return Gateway(routes, handlers, clock=parts.clock, entropy=parts.entropy)
