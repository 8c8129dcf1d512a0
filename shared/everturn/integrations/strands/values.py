"""What Strands keeps as values of JSON, and back: its dataclasses, and bytes anywhere in them.

Bytes are written as Strands writes them (strands.types.session), {"__bytes_encoded__": true,
"data": base64}. It takes whatever looks so for bytes when it reads, and what a tool was given may
look so: here that name gets an underscore more, which is taken off again.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar

from strands.types.session import Session, SessionAgent, SessionMessage

from everturn.errors import CorruptRecordError

KindT = TypeVar("KindT", bound=Session | SessionAgent)

_MARK: Final = "__bytes_encoded__"
_DATA: Final = "data"


def stored(value: Session | SessionAgent | SessionMessage) -> dict[str, Any]:
    """Return what is kept of an object of Strands."""
    kept: dict[str, Any] = encoded(asdict(value))
    return kept


def restored(kind: type[KindT], value: object) -> KindT:
    """Return the object that a value keeps; fields of newer versions are left out.

    Raises:
        CorruptRecordError: it keeps none.
    """
    found = {name: decoded(part) for name, part in object_of(value).items()}
    known = {field.name: found[field.name] for field in fields(kind) if field.name in found}
    try:
        return kind(**known)
    except TypeError as exc:
        raise CorruptRecordError(f"a document keeps no {kind.__name__} of strands") from exc


def object_of(value: object) -> Mapping[str, Any]:
    """Return a value that is an object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def encoded(value: Any) -> Any:  # noqa: ANN401 - any value of Strands
    """Return a value as JSON has it."""
    if isinstance(value, bytes):
        return {_MARK: True, _DATA: b64encode(value).decode()}
    if isinstance(value, dict):
        return {_more(name): encoded(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [encoded(part) for part in value]
    return value


def decoded(value: Any) -> Any:  # noqa: ANN401 - any value of JSON
    """Return what was encoded; what only looks like bytes stays as it is."""
    if isinstance(value, dict):
        found = _bytes_of(value)
        if found is None:
            return {_less(name): decoded(part) for name, part in value.items()}
        return found
    return [decoded(part) for part in value] if isinstance(value, list) else value


def _bytes_of(value: Mapping[str, Any]) -> bytes | None:
    data = value.get(_DATA)
    if value.get(_MARK) is not True or len(value) != 2 or not isinstance(data, str):  # noqa: PLR2004 - the two
        return None
    try:
        return b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None


def _more(name: Any) -> Any:  # noqa: ANN401 - any key of a dict
    return f"_{name}" if isinstance(name, str) and _is_mark(name) else name


def _less(name: str) -> str:
    return name[1:] if name != _MARK and _is_mark(name) else name


def _is_mark(name: str) -> bool:
    return name.endswith(_MARK) and not name.removesuffix(_MARK).strip("_")
