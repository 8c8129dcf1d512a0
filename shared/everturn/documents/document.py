"""One document: a small JSON value of an agent framework, stored in an envelope that names it.

{"space": ..., "key": ..., "value": any JSON, "updated": RFC 3339}
"""

import json
from dataclasses import dataclass

from everturn.conversations.model.turn import check_depth
from everturn.errors import CorruptRecordError, TooLargeError
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.keys import valid_id
from everturn.values.timestamps import format_time, parse_time

# As a turn: what is larger is a file.
MAX_VALUE_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Document:
    """A value with its name and the time of its write in Unix nanoseconds."""

    space: str
    key: str
    value: JsonValue
    updated_ns: int

    def encode(self) -> bytes:
        """Return the envelope."""
        envelope: JsonObject = {
            "space": self.space,
            "key": self.key,
            "value": self.value,
            "updated": format_time(self.updated_ns),
        }
        return dumps(envelope).encode()


def new_document(space: str, key: str, value: JsonValue, *, updated_ns: int) -> Document:
    """Return a document that may be stored.

    Raises:
        InvalidRequestError: an id is none, or the value is nested deeper than 64 levels.
        TooLargeError: the value is above 1 MiB of JSON.
    """
    space, key = valid_id(space, field="space"), valid_id(key, field="key")
    check_depth(value, field="value")
    if len(dumps(value).encode()) > MAX_VALUE_BYTES:
        raise TooLargeError(f"a value is too large max_bytes={MAX_VALUE_BYTES}", field="value")
    return Document(space, key, value, updated_ns)


def parse_document(body: bytes, *, space: str) -> Document:
    """Read an envelope of this space.

    Raises:
        CorruptRecordError: it is none, or one of another space.
    """
    try:
        envelope = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _corrupt(space) from error
    if not isinstance(envelope, dict) or "value" not in envelope:
        raise _corrupt(space)
    key, updated = envelope.get("key"), envelope.get("updated")
    updated_ns = parse_time(updated) if isinstance(updated, str) else None
    if envelope.get("space") != space or not isinstance(key, str) or updated_ns is None:
        raise _corrupt(space)
    return Document(space, key, envelope["value"], updated_ns)


def _corrupt(space: str) -> CorruptRecordError:
    return CorruptRecordError(f"a stored document cannot be read space={space}")
