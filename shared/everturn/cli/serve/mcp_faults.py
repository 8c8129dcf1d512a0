"""What a line is answered that is no message of JSON-RPC."""

import json

from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError


def fault_of(exc: Exception, line: str) -> JSONRPCError:
    """Return the answer to a line that could not be read; its id where it has one, else null.

    Args:
        exc: why it could not.
        line: the line itself: what an error quotes may be any part of it.

    https://www.jsonrpc.org/specification#error_object
    """
    first = exc.errors(include_url=False)[0] if isinstance(exc, ValidationError) else None
    if first is None or first["type"] == "json_invalid":
        error = ErrorData(code=PARSE_ERROR, message="this line is no json in utf-8")
    else:
        error = ErrorData(code=INVALID_REQUEST, message="this is no single message of json-rpc 2.0")
    return JSONRPCError(jsonrpc="2.0", id=_id_of(line), error=error)


def _id_of(line: str) -> str | int | None:
    """Return the id of a line, so that its caller hears of it; None where it has none."""
    try:
        # Halves of code points are json to Python, and to no strict reader.
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if type(found) in {str, int} else None
