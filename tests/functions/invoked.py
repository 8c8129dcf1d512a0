"""Handlers called with events of any caller, as API Gateway would: no gateway of ours between."""

import json
from pathlib import Path
from typing import Any, Final

from everturn.adapters.system_clock import SystemClock
from everturn.local.bundle import find_bundle
from everturn.local.functions import load_handlers
from everturn.local.invocation import TIMEOUT_S, LambdaContext
from everturn.local.template import read_routes
from functions.every_route import Call
from functions.house import Json

ROLE: Final = "arn:aws:iam::123456789012:role/team/front/FrontRole"
"""The one role that is trusted."""
SESSION: Final = "arn:aws:sts::123456789012:assumed-role"
NAMES: Final = {
    "id": "c1", "number": "0", "count": "1", "rid": "0" * 32, "space": "state", "key": "k1",
}  # fmt: skip
Authorizer = dict[str, Any] | None


def iam(arn: object) -> Authorizer:
    """A caller who has signed."""
    return {"iam": {"accountId": "123456789012", "userArn": arn}}


def jwt(**claims: object) -> Authorizer:
    """A caller with a token."""
    return {"jwt": {"claims": {"sub": "u-1", "iss": "https://issuer.example.com/", **claims}}}


class Invoked:
    """The handlers of the template over a directory."""

    def __init__(self, store: Path) -> None:
        bundle = find_bundle()
        self.store = store
        self._functions = {route.key: route.function for route in read_routes(bundle.template)}
        settings = {
            "EVERTURN_STORE": str(store),
            "EVERTURN_SERVICE_ROLES": ROLE,
            "EVERTURN_TENANT_CLAIM": "custom:tenant",
            "EVERTURN_EMBEDDER": "hash",
        }
        functions = set(self._functions.values())
        self._handlers = load_handlers(functions, bundle=bundle, settings=settings)

    def __call__(
        self,
        call: Call,
        authorizer: Authorizer,
        headers: dict[str, str] | None = None,
        **event: object,
    ) -> tuple[int, Json]:
        """Send a request; return its status and the last line of its body."""
        name, clock = self._functions[call.route].name, SystemClock()
        context = LambdaContext("request-1", name, clock, clock.monotonic_s() + TIMEOUT_S)
        asked = {**_event(call, authorizer, headers or {}), **event}
        answer = self._handlers[name](asked, context)
        lines = (answer["body"] or "{}").splitlines() or ["{}"]
        return answer["statusCode"], json.loads(lines[-1])

    def files(self) -> list[tuple[Path, int]]:
        """All that is stored, with the times of its writes."""
        return sorted((path, path.stat().st_mtime_ns) for path in self.store.rglob("*"))


def _event(call: Call, authorizer: Authorizer, headers: dict[str, str]) -> Json:
    path = call.path(NAMES)
    context: Json = {
        "accountId": "123456789012", "requestId": "r-1", "routeKey": call.route,
        "stage": "$default", "http": {"method": call.method, "path": path},
    }  # fmt: skip
    event: Json = {
        "version": "2.0", "routeKey": call.route, "rawPath": path, "rawQueryString": "",
        "headers": headers, "requestContext": context, "isBase64Encoded": False,
        "pathParameters": {name: NAMES[name] for name in NAMES if f"{{{name}}}" in call.route},
        "queryStringParameters": {name: NAMES[text[1:-1]] for name, text in call.query.items()},
    }  # fmt: skip
    if authorizer is not None:
        context["authorizer"] = authorizer
    if call.body is not None:
        event["body"] = json.dumps(call.body).replace("{id}", "c1")
    return event
