"""Cursors: the key of the last row shown, opaque to the caller.

Not here: what is walked. A cursor grants nothing: rows always come from the caller's own scope.
"""

import base64
import binascii
import json
from dataclasses import dataclass

from everturn.domain.go_json import dumps
from everturn.errors import InvalidRequestError


@dataclass(frozen=True, slots=True)
class ListCursor:
    """The last conversation of a page of a list."""

    updated_ns: int
    conversation_id: str

    def encode(self) -> str:
        """Return the cursor as a caller gets it."""
        text = dumps([self.updated_ns, self.conversation_id])
        return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def parse_list_cursor(text: str) -> ListCursor:
    """Read a cursor that a list gave out.

    Raises:
        InvalidRequestError: it is none.
    """
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        value = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        updated_ns, conversation_id = value
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise InvalidRequestError("this is no cursor of a list", field="cursor") from error
    if type(updated_ns) is not int or not isinstance(conversation_id, str):
        raise InvalidRequestError("this is no cursor of a list", field="cursor")
    return ListCursor(updated_ns, conversation_id)
