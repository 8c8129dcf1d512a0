"""How ids, times, parameters and JSON are written in a request.

Lone surrogates, which UTF-8 cannot hold, become U+FFFD in texts and are refused in ids.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from everturn.errors import InvalidRequestError

Json: TypeAlias = Any
"""Any JSON value: what `json.dumps` takes."""

Moment: TypeAlias = str | datetime
"""An RFC 3339 time (UTC where it has no offset), or an aware datetime."""

ParamValue: TypeAlias = str | int | bool | datetime | Sequence[str] | None

MEMORY_URI = "everturn://memory/"

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# Whose ids a path names, in their order; as the server calls them.
_ID_FIELDS = {
    "conversations": ("conversation_id",),
    "documents": ("space", "key"),
    "memories": ("rid",),
}
# The longest id. The server counts the bytes of its NFC form, which may be fewer: it decides.
_MAX_HEADER_BYTES = 4_096


def path_of(kind: str, *segments: str) -> str:
    """Return a path of the API; each segment is any text and stays one segment.

    Raises:
        InvalidRequestError: a segment is no Unicode text, or empty; `field` says which id it is.
    """
    fields = _ID_FIELDS.get(kind, ())
    parts = zip_longest((kind, *segments), (None, *fields[: len(segments)]))
    return "/v1/" + "/".join(_segment(part, field) for part, field in parts)


def memory_path(rid: str, *more: str) -> str:
    """Return the path of a memory, which its id or its URI names, or of a thing below it.

    Raises:
        InvalidRequestError: as `path_of`.
    """
    is_uri = isinstance(rid, str) and rid.startswith(MEMORY_URI)
    id_ = rid.rpartition("/")[2] if is_uri else rid
    return path_of("memories", id_, *more)


def _segment(text: str, field: str | None) -> str:
    if not isinstance(text, str):
        raise InvalidRequestError(f"an id is a text type={type(text).__name__}", field=field)
    if not text:
        raise InvalidRequestError("an id is not empty", field=field)
    try:
        segment = quote(text, safe="")
    except UnicodeEncodeError as exc:
        raise InvalidRequestError("an id is no unicode text", field=field) from exc
    # RFC 3986, section 5.2.4: clients take these two for steps in the path.
    return segment.replace(".", "%2E") if segment in {".", ".."} else segment


def query_of(params: Mapping[str, ParamValue]) -> str:
    """Return a query string without the parameters that are None; a blank is `%20`.

    A signature of AWS is made over `%20`, not over `+`.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

    Raises:
        InvalidRequestError: a datetime has no zone, or a value is of a kind that is never asked.
    """
    told = {name: _param(value, name) for name, value in params.items() if value is not None}
    return urlencode(told, quote_via=quote, safe="")


def _param(value: ParamValue, name: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str | datetime):
        return well_formed(moment_text(value, field=name))
    try:
        return well_formed(",".join(names_of(value or ())))
    except TypeError as exc:
        kind = type(value).__name__
        raise InvalidRequestError(f"this cannot be asked for type={kind}", field=name) from exc


def names_of(names: Sequence[str]) -> list[str]:
    """Return names as a list; one name that is given alone is a list of one."""
    return [names] if isinstance(names, str) else list(names)


def moment_text(moment: Moment, *, field: str) -> str:
    """Return a time as it is sent; a text as it is.

    Raises:
        InvalidRequestError: a datetime has no zone: whose time it is cannot be guessed.
    """
    if isinstance(moment, str):
        return moment
    if moment.utcoffset() is None:
        raise InvalidRequestError("a datetime needs a zone", field=field)
    return moment.isoformat()


def json_bytes(value: Json) -> bytes:
    """Return a value as JSON in UTF-8; aware datetimes as RFC 3339.

    Raises:
        InvalidRequestError: JSON has no form for it.
    """
    try:
        text = json.dumps(
            value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_time_or_fail
        )
    except (TypeError, ValueError, RecursionError) as exc:
        raise InvalidRequestError(f"this is no json error={type(exc).__name__}") from exc
    return well_formed(text).encode()


def _time_or_fail(value: object) -> str:
    if isinstance(value, datetime):
        return moment_text(value, field="ts")
    raise TypeError(f"no json: {type(value).__name__}")


def header_bytes(value: str, *, field: str) -> bytes:
    """Return what a header says, in UTF-8.

    Raises:
        InvalidRequestError: it is empty or too long, no Unicode text, has control characters, or
            begins or ends with a blank, which would get lost.
    """
    if not isinstance(value, str):
        raise InvalidRequestError(f"this is no text type={type(value).__name__}", field=field)
    if not value or value != value.strip() or _CONTROLS.search(value):
        raise InvalidRequestError("this cannot be sent in a header", field=field)
    try:
        told = value.encode()
    except UnicodeEncodeError as exc:
        raise InvalidRequestError("this is no unicode text", field=field) from exc
    if len(told) > _MAX_HEADER_BYTES:
        raise InvalidRequestError("this is too long for a header", field=field)
    return told


def well_formed(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate."""
    return _LONE_SURROGATES.sub("\ufffd", text)
