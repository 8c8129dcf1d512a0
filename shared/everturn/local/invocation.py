"""What a Lambda gets and gives: the HTTP API event (payload 2.0), the context, the result.

Field by field:
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from everturn.edge.identity import ACTOR_HEADER, TENANT_HEADER
from everturn.local.http_messages import HttpAnswer, Request
from everturn.local.routing import RouteMatch
from everturn.ports.clock import Clock, Entropy

ACCOUNT = "000000000000"
SERVICE_ROLE = f"arn:aws:iam::{ACCOUNT}:role/everturn-local"
"""The role that the local front signs with; handlers trust it to name the user."""

# The functions' timeout in template.yaml.
TIMEOUT_S = 20.0

_IDENTITY = {
    "accessKey": "local",
    "accountId": ACCOUNT,
    "callerId": "local:local",
    "cognitoIdentity": None,
    "principalOrgId": None,
    "userArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/everturn-local/local",
    "userId": "local:local",
}
_DEFAULT_SCOPE = {TENANT_HEADER: "local", ACTOR_HEADER: "local"}


def event_of(
    request: Request, match: RouteMatch, *, request_id: str, now_ns: int
) -> dict[str, Any]:
    """Return the event of one request; its path and parameters are decoded, its query is not.

    A request that names no user is that of tenant `local`, actor `local`.
    """
    headers = _DEFAULT_SCOPE | request.folded_headers()
    cookies = headers.pop("cookie", None)
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": match.key,
        "rawPath": match.path,
        "rawQueryString": request.raw_query,
        "headers": headers,
        "requestContext": _context_of(request, match, headers) | _moment(request_id, now_ns),
        "isBase64Encoded": False,
    }
    if cookies is not None:
        event["cookies"] = [cookie.strip() for cookie in cookies.split(";")]
    if parameters := _query_parameters(request.raw_query):
        event["queryStringParameters"] = parameters
    if match.parameters:
        event["pathParameters"] = dict(match.parameters)
    return event | _body_fields(request.body)


def _context_of(request: Request, match: RouteMatch, headers: dict[str, str]) -> dict[str, Any]:
    return {
        "accountId": ACCOUNT,
        "apiId": "local",
        "authorizer": {"iam": dict(_IDENTITY)},
        "domainName": headers.get("host", "localhost"),
        "domainPrefix": "local",
        "http": {
            "method": request.method,
            "path": match.path,
            "protocol": "HTTP/1.1",
            "sourceIp": "127.0.0.1",
            "userAgent": headers.get("user-agent", ""),
        },
        "routeKey": match.key,
        "stage": "$default",
    }


def _moment(request_id: str, now_ns: int) -> dict[str, Any]:
    time = datetime.fromtimestamp(now_ns // 1_000_000_000, UTC)
    return {
        "requestId": request_id,
        "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": now_ns // 1_000_000,
    }


def _query_parameters(raw_query: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for name, value in parse_qsl(raw_query, keep_blank_values=True):
        parameters[name] = f"{parameters[name]},{value}" if name in parameters else value
    return parameters


def _body_fields(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        return {"body": body.decode(), "isBase64Encoded": False}
    except UnicodeDecodeError:
        return {"body": base64.b64encode(body).decode("ascii"), "isBase64Encoded": True}


def dashed_id(entropy: Entropy) -> str:
    """Return a new id in the form that AWS gives requests and messages."""
    digits = entropy.token(16).hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def answer_of(result: Any) -> HttpAnswer:  # noqa: ANN401 - whatever a handler returns
    """Read a handler's result as API Gateway does (payload 2.0, the form with a statusCode).

    Raises:
        AttributeError, KeyError, TypeError, ValueError: it is no such result.
    """
    body = "" if result.get("body") is None else result["body"]
    encoded = result.get("isBase64Encoded", False)
    headers = [(str(k).lower(), str(v)) for k, v in (result.get("headers") or {}).items()]
    headers += [("set-cookie", str(cookie)) for cookie in result.get("cookies") or []]
    content = base64.b64decode(body) if encoded else body.encode()
    return HttpAnswer(int(result["statusCode"]), tuple(headers), content)


@dataclass(frozen=True, slots=True)
class LambdaContext:
    """The second argument of a handler, with the names that the Lambda runtime gives."""

    aws_request_id: str
    function_name: str
    clock: Clock
    deadline_s: float
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 512
    log_stream_name: str = "local"

    @property
    def log_group_name(self) -> str:
        """Where Lambda would keep the logs."""
        return f"/aws/lambda/{self.function_name}"

    @property
    def invoked_function_arn(self) -> str:
        """An ARN of nothing that exists."""
        return f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the deadline, never below 0."""
        return max(0, int((self.deadline_s - self.clock.monotonic_s()) * 1_000))
