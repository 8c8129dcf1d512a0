"""What an answer or a failure of the network means: one table for each.

An error of the API is raised as the class of `everturn.errors` that the server raised; its
message ends in the HTTP status and, where there is one, the id of the request.
"""

import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import httpx

from everturn import errors
from everturn.errors import EverturnError

FOREIGN_ERRORS: Final = (httpx.HTTPError, httpx.InvalidURL, TimeoutError)
"""All that sending a request and reading its answer raise."""

# A message of ours has one line; what is longer is no message.
_MAX_MESSAGE_CHARS: Final = 1_000

CODES: Final = MappingProxyType(
    {
        kind.code: kind
        for kind in (
            errors.EverturnError,
            errors.InvalidRequestError,
            errors.MalformedRequestError,
            errors.TooLargeError,
            errors.UnsupportedMediaError,
            errors.UnauthenticatedError,
            errors.ForbiddenError,
            errors.NotFoundError,
            errors.ConflictError,
            errors.StaleEtagError,
            errors.ConversationGoneError,
            errors.CorruptRecordError,
            errors.UnavailableError,
            errors.MisconfiguredError,
            errors.StoreError,
        )
    }
)
"""The class that the code of an error of ours names."""

# Looked up by status, then its family: API Gateway's own answers, and those of anything before it.
# https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-error-codes.html
STATUSES: Final = MappingProxyType(
    {
        "401": errors.UnauthenticatedError,
        "403": errors.ForbiddenError,
        "407": errors.MisconfiguredError,
        "408": errors.UnavailableError,
        "413": errors.TooLargeError,
        "415": errors.UnsupportedMediaError,
        "425": errors.UnavailableError,
        "429": errors.UnavailableError,
        # Every handler of ours says a code: this url or this stage has no such route.
        "404": errors.MisconfiguredError,
        "405": errors.MisconfiguredError,
        "501": errors.MisconfiguredError,
        "1xx": errors.MisconfiguredError,
        "2xx": errors.MisconfiguredError,
        # Followed, it would take a token and what a user said to somebody else.
        "3xx": errors.MisconfiguredError,
        "4xx": errors.InvalidRequestError,
        "5xx": errors.UnavailableError,
    }
)
"""The class that the status of an answer names which is no error of ours."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a failure of the network means; whether the request was surely not sent."""

    kind: type[EverturnError]
    says: str
    unsent: bool = False


# The nearest class counts. https://www.python-httpx.org/exceptions/
NETWORK: Final = MappingProxyType(
    {
        httpx.ConnectError: Meaning(errors.UnavailableError, "nothing answers", unsent=True),
        httpx.ConnectTimeout: Meaning(errors.UnavailableError, "nothing answers", unsent=True),
        httpx.PoolTimeout: Meaning(
            errors.UnavailableError, "no connection became free", unsent=True
        ),
        httpx.ProxyError: Meaning(errors.UnavailableError, "the proxy failed"),
        httpx.TimeoutException: Meaning(errors.UnavailableError, "no answer in time"),
        httpx.TransportError: Meaning(errors.UnavailableError, "the connection failed"),
        httpx.UnsupportedProtocol: Meaning(
            errors.MisconfiguredError, "a url begins with http:// or https://", unsent=True
        ),
        httpx.LocalProtocolError: Meaning(
            errors.InvalidRequestError, "this cannot be sent by http", unsent=True
        ),
        httpx.DecodingError: Meaning(
            errors.MisconfiguredError, "the answer cannot be read, this is no everturn"
        ),
        httpx.TooManyRedirects: Meaning(errors.MisconfiguredError, "this leads elsewhere"),
        httpx.HTTPStatusError: Meaning(errors.MisconfiguredError, "the request was refused"),
        httpx.HTTPError: Meaning(errors.UnavailableError, "the request failed"),
        # The address was checked before; what is asked for may be as long as a caller likes.
        httpx.InvalidURL: Meaning(
            errors.InvalidRequestError, "this is too long for a url", unsent=True
        ),
        # The time of the call is over, whatever it was waiting for.
        TimeoutError: Meaning(errors.UnavailableError, "no answer in time"),
    }
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a try failed; `unsent`: it surely did nothing; `after_s`: a pause that was asked for."""

    error: EverturnError
    cause: BaseException | None = None
    status: int | None = None
    request_id: str | None = None
    unsent: bool = False
    after_s: float = 0.0


def network_failure(exc: Exception) -> Failure:
    """Return what one of `FOREIGN_ERRORS` means; the message names no address and no token."""
    meaning = next(NETWORK[kind] for kind in type(exc).__mro__ if kind in NETWORK)
    error = meaning.kind(f"{meaning.says} error={type(exc).__name__}")
    return Failure(error, cause=exc, unsent=meaning.unsent)


def answered_failure(response: httpx.Response, body: bytes, *, after_s: float = 0.0) -> Failure:
    """Return what an answer means that is no success."""
    status = response.status_code
    fault = _fault_of(body)
    request_id = fault.get("request_id") or _line(response.headers.get("apigw-requestid", ""))
    kind = _kind_of(fault, status)
    data = f" status={status}" + (f" request_id={request_id}" if request_id else "")
    error = kind(_message_of(fault, response, kind) + data, field=fault.get("field"))
    # API Gateway throttles before it calls a function.
    unsent = status == httpx.codes.TOO_MANY_REQUESTS
    return Failure(error, status=status, request_id=request_id, unsent=unsent, after_s=after_s)


def foreign_answer(response: httpx.Response, cause: Exception) -> Failure:
    """Return the failure of an answer that says success and is none of an Everturn's."""
    error = errors.MisconfiguredError(
        f"this is no everturn, it answers otherwise status={response.status_code}"
    )
    return Failure(error, cause=cause, status=response.status_code)


def _fault_of(body: bytes) -> dict[str, str]:
    """Return the parts of an error answer that are texts, whoever wrote it; each is one line."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    known = value if isinstance(value, dict) else {}
    error = known.get("error")
    found = error if isinstance(error, dict) else {"message": known.get("message")}
    parts = {name: _line(part) for name, part in found.items() if isinstance(part, str) and part}
    return {**parts, "retryable": "yes"} if found.get("retryable") is True else parts


def _line(text: str) -> str:
    """Return a text that can be logged and shown: what moves a cursor or ends a line is U+FFFD."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:_MAX_MESSAGE_CHARS])


def _kind_of(fault: dict[str, str], status: int) -> type[EverturnError]:
    code = fault.get("code")
    if code is not None and code in CODES:
        return CODES[code]
    if fault.get("retryable"):
        return errors.UnavailableError
    names = (str(status), f"{status // 100}xx")
    # A code of a newer server: its status says what to do.
    if code is not None and status == httpx.codes.NOT_FOUND:
        return errors.NotFoundError
    return next((STATUSES[name] for name in names if name in STATUSES), errors.UnavailableError)


def _message_of(fault: dict[str, str], response: httpx.Response, kind: type[EverturnError]) -> str:
    if response.is_redirect:
        return "this leads elsewhere, give the url of an everturn"
    if "message" in fault:
        return fault["message"] if "code" in fault else fault["message"].lower()
    if kind is errors.MisconfiguredError:
        return "this is no everturn, it answers otherwise"
    return (_line(response.reason_phrase) or "the request failed").lower()
