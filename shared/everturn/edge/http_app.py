"""The resolver of a Lambda's routes: requests validated, every error answered in our form."""

import json
import logging
import traceback
from base64 import b64decode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.exceptions import NotFoundError as NoRouteError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from everturn.edge.responses.base import Answer, error_answer, is_fault
from everturn.errors import (
    CorruptRecordError,
    EverturnError,
    InvalidRequestError,
    MalformedRequestError,
    NotFoundError,
    TooLargeError,
    UnsupportedMediaError,
)

MAX_BODY_BYTES = 3 * 1_048_576
# The end of a trace is where it happened.
_FRAMES = 8
_JSON = "application/json"
_NO_OBJECT = "the body is no JSON object"
# POWERTOOLS_DEBUG would have it print events, ids and parameters as users send them.
logging.getLogger("aws_lambda_powertools").setLevel(logging.INFO)


def http_app(logger: Logger, note: Callable[[EverturnError], None]) -> APIGatewayHttpResolver:
    """Return a resolver that validates requests and answers every error in our form.

    Args:
        logger: hears of exceptions that nobody expected.
        note: hears of every error that somebody raised on purpose.
    """
    # Said here, or a variable of the environment could turn it on: events would be printed, and
    # callers told the trace of an exception, both with what users say.
    app = APIGatewayHttpResolver(
        enable_validation=True, json_body_deserializer=_parse_body, debug=False
    )

    def told(error: EverturnError) -> Answer:
        return error_answer(error, str(app.current_event["requestContext"]["requestId"]))

    def failed(error: EverturnError) -> Answer:
        note(error)
        return told(error)

    app.exception_handler(EverturnError)(failed)
    app.exception_handler(RequestValidationError)(lambda error: failed(_first_fault(error)))
    app.exception_handler(NoRouteError)(lambda _: failed(NotFoundError("there is no such route")))
    app.exception_handler(Exception)(lambda error: told(crashed(logger, error, status=500)))
    return app


def crashed(logger: Logger, error: Exception, *, status: int | None = None) -> EverturnError:
    """Log an exception that nobody expected, and return what the caller is told instead.

    `status` is that of the answer, if there is a caller.
    """
    # An exception's message may quote what a user said; where it came from does not.
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    logger.error("crashed", error_type=type(error).__name__, where=where, status=status)
    return EverturnError("something went wrong")


def log_fault(logger: Logger, error: EverturnError, *, status: int | None = None) -> None:
    """Log the reason of a fault of ours; what a caller did wrong is no line in the log.

    `status` is that of the answer, if it is what a caller is told.
    """
    if not is_fault(error):
        return
    # The message of an unreadable record names the conversation, which may be a user's word.
    reason = None if isinstance(error, CorruptRecordError) else error.message
    cause = error.__cause__
    why = cause.message if isinstance(cause, EverturnError) else type(cause).__name__
    logger.error("failed", code=error.code, reason=reason, cause=why, status=status)


def name_request(logger: Logger, event: dict[str, Any]) -> None:
    """Let the lines of this event bear what a caller is told it was, and its route.

    The route is that of the API's table, with names in the place of ids.
    """
    logger.append_keys(correlation_id=request_id_of(event), route=str(event.get("routeKey", "")))


def request_id_of(event: dict[str, Any]) -> str:
    """Return the id that API Gateway gave to a request, in `error.request_id` too; "" for none."""
    context = event.get("requestContext")
    return str(context.get("requestId", "")) if isinstance(context, dict) else ""


def lambda_answer(response: Answer) -> dict[str, Any]:
    """Return an answer in the form that API Gateway takes."""
    headers = {**response.headers, "Content-Type": response.content_type}
    return {
        "statusCode": response.status_code, "headers": headers, "body": response.body,
        "isBase64Encoded": False,
    }  # fmt: skip


def with_checked_body(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event with its body as text, declared as JSON in the one form Powertools knows.

    What declares no body is left out.

    Raises:
        TooLargeError: it is above 3 MiB.
        UnsupportedMediaError: it is declared to be no JSON.
        MalformedRequestError: it is no UTF-8.
    """
    body, headers = event.get("body") or "", event.get("headers") or {}
    if not body:
        # Powertools knows one media type alone, and raises for others before it looks for a body.
        return {**event, "headers": {k: v for k, v in headers.items() if k != "content-type"}}
    media = headers.get("content-type", _JSON).partition(";")[0]
    if media.strip().lower() != _JSON:
        raise UnsupportedMediaError("send application/json", field="Content-Type")
    try:
        encoded = b64decode(body) if event.get("isBase64Encoded") else body.encode()
        text = encoded.decode()
    except ValueError as error:
        raise MalformedRequestError(_NO_OBJECT) from error
    if len(encoded) > MAX_BODY_BYTES:
        raise TooLargeError(f"the body is too large max_bytes={MAX_BODY_BYTES}")
    headers = {**headers, "content-type": _JSON}
    return {**event, "headers": headers, "body": text, "isBase64Encoded": False}


def _parse_body(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MalformedRequestError(_NO_OBJECT) from error
    if not isinstance(body, dict):
        raise MalformedRequestError(_NO_OBJECT)
    return body


def _refuse_constant(name: str) -> None:
    raise ValueError(f"JSON has no {name}")


def routable(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event with its path built from route and parameters again.

    An HTTP API decodes the path: an id with `/` or `?` would route as something else. Its
    parameters are decoded too, but one by one.
    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    template = event.get("routeKey", "").partition(" ")[2]
    if not template:
        return event
    for name, value in (event.get("pathParameters") or {}).items():
        template = template.replace(f"{{{name}}}", quote(value, safe="", errors="surrogatepass"))
    stage = event["requestContext"].get("stage", "$default")
    return {**event, "rawPath": template if stage == "$default" else f"/{stage}{template}"}


def _first_fault(error: RequestValidationError) -> InvalidRequestError:
    fault = error.errors()[0]
    path = [str(part) for part in fault["loc"][1:]]
    if not path and fault["loc"][0] == "body":
        return MalformedRequestError(_NO_OBJECT)
    message = str(fault["msg"]).removeprefix("Value error, ")
    return InvalidRequestError(message[:1].lower() + message[1:], field=".".join(path))
