"""What a line is answered that is no message of JSON-RPC.

Not here: reading lines (mcp_stdio.py), errors of calls (everturn.integrations.mcp_results).
"""

import json

from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError


def fault_of(exc: Exception) -> JSONRPCError:
    """Return the answer to a line that could not be read; its id where there is one, else null.

    https://www.jsonrpc.org/specification#error_object
    """
    first = exc.errors(include_url=False)[0] if isinstance(exc, ValidationError) else None
    if first is None or first["type"] == "json_invalid":
        error = ErrorData(code=PARSE_ERROR, message="this line is no json in utf-8")
    else:
        error = ErrorData(code=INVALID_REQUEST, message="this is no single message of json-rpc 2.0")
    return JSONRPCError(jsonrpc="2.0", id=_id_of(first and first["input"]), error=error)


def _id_of(said: object) -> str | int | None:
    """Return the id of what was said, so that its caller hears of it; None where it has none."""
    try:
        # Halves of code points are json to Python, and to no strict reader.
        message = json.loads(said) if isinstance(said, str) else said
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if type(found) in {str, int} else None
