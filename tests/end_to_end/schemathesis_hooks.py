"""What schemathesis is told of our API: closed answers, errors, which rules no schema can say."""

from typing import Any

import schemathesis
from schemathesis.core.failures import Failure

# What is said of a request that obeys its schema: how two fields go together, what is stored, what
# a text means, limits in bytes. Each is a rule of the API, and none can be said in JSON Schema.
UNSAYABLE = (
    "this is no cursor of ",
    "this is no etag of a document",
    "a put takes If-Match with an etag, or If-None-Match: *",
    "take either last, or from and limit",
    "since is before until, which is not inside",
    "pairs are chosen by their question",
    "a window is of one conversation",
    "a range of turns ends where it begins or later",
    "the conversation has no such turn",
    "the quote ",
    "this idempotency key came before with other turns",
    "only a pattern has ",
    "there is nothing in it but marks",
    "a time is RFC 3339, of the years 1970 to 2100",
    "a time is of the years 1678 to 2261",
    "a role is not blank",
    "a text is not blank",
    "a statement is not blank",
    "an id is not blank",
    "an id is too long max_bytes=",
    "this request takes no parameters",
    # JSON Schema takes 1.0 for a whole number; here a number with a point is none.
    "input should be a valid integer",
)
# Not there, not as expected, deleted: a matter of what was stored before.
_OF_STATE = frozenset({404, 409, 410, 412})


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:  # noqa: ANN401  # theirs
    """Close every answer, so that a field nobody described is a fault; take no error but ours."""
    del context
    for answer in raw_schema["components"]["responses"].values():
        media = answer["content"]["application/json"]
        # The local server has no API Gateway before it: its errors are all ours.
        media["schema"] = media["schema"].get("anyOf", [media["schema"]])[0]
    for name, schema in raw_schema["components"]["schemas"].items():
        # A stored file may hold any field of another program's.
        if schema.get("type") == "object" and not name.startswith("Stored"):
            schema.setdefault("additionalProperties", False)


@schemathesis.check
def valid_requests_are_accepted(ctx: Any, response: Any, case: Any) -> None:  # noqa: ANN401  # theirs
    """A request that obeys its schema is done, but for state and rules that no schema can say."""
    del ctx
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code < 400 or response.status_code in _OF_STATE:
        return
    error = response.json()["error"]
    if response.status_code == 422 and error["message"].startswith(UNSAYABLE):
        return
    raise Failure(
        operation=case.operation.label,
        title="a valid request is refused",
        message=f"{response.status_code} {error['message']} field={error.get('field')}",
    )
