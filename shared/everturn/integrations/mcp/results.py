"""What goes over the wire for an answer, and for an error.

An error of a call is a result that a model reads and can mend; an error of a resource or a prompt
is one of the protocol.
"""

from typing import Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic import ValidationError

from everturn.errors import EverturnError, InvalidRequestError, NotFoundError
from everturn.integrations.mcp.answers import Answer

_WORDS: Final = {"extra_forbidden": "there is no such argument", "missing": "this is needed"}


def result_of(answer: Answer) -> CallToolResult:
    """Return an answer: its text for people and models, all of it for programs."""
    return CallToolResult(
        content=[TextContent(text=answer.text)],
        structured_content=answer.model_dump(mode="json", exclude_none=True),
    )


def failure_of(error: EverturnError) -> CallToolResult:
    """Return an error as one line that says what to mend."""
    return CallToolResult(content=[TextContent(text=line_of(error))], is_error=True)


def line_of(error: EverturnError) -> str:
    """Return an error in one line: the message, then code and field."""
    data = {"code": error.code, "field": error.field, "retryable": error.retryable and "true"}
    words = [error.message, *(f"{name}={value}" for name, value in data.items() if value)]
    return " ".join(" ".join(words).split())


def argument_error(error: ValidationError) -> InvalidRequestError:
    """Return the first thing that is wrong with arguments; what was sent is not quoted."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    message = _WORDS.get(first["type"]) or first["msg"][:1].lower() + first["msg"][1:]
    return InvalidRequestError(message, field=".".join(map(str, first["loc"])))


def protocol_error(error: EverturnError, *, uri: str | None = None) -> MCPError:
    """Return an error of a resource or a prompt."""
    mendable = isinstance(error, NotFoundError | InvalidRequestError)
    data = {"code": error.code, "retryable": error.retryable} | ({"uri": uri} if uri else {})
    return MCPError(
        code=INVALID_PARAMS if mendable else INTERNAL_ERROR, message=line_of(error), data=data
    )
