"""One call of the API as a value: what is sent, how a response is read, what a repeat does.

Lone surrogates, which UTF-8 cannot hold, become U+FFFD in texts and are refused in ids.
"""

import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from itertools import zip_longest
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from everturn.errors import InvalidRequestError, MisconfiguredError
from everturn.wire.base import Result

Json: TypeAlias = Any
"""Any JSON value: what `json.dumps` takes."""

Moment: TypeAlias = str | datetime
"""An RFC 3339 time (UTC where it has no offset), or an aware datetime."""

ParamValue: TypeAlias = str | int | bool | datetime | Sequence[str] | None

T = TypeVar("T")
ItemT = TypeVar("ItemT")
PageT = TypeVar("PageT")
ResultT = TypeVar("ResultT", bound=Result)


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


ABSENT: Final = Absent.ABSENT
"""Expected of a document that is to be created: there is none."""

UNSET: Final = Unset.UNSET
"""Stands for a field that is not sent, where None is sent as null."""

MAX_PAGE: Final = 1_000
"""The most turns or other rows of one page, which ends at 3 MiB; documents with values: 100."""


class Repeat(Enum):
    """What the same request does when it is sent again after a try that got no clear answer."""

    SAFE = "safe"
    """The same as once: it reads, it is known again by its key, or it says what shall be."""

    CONDITIONAL = "conditional"
    """Nothing more; but its refusal may mean that the first try had happened."""

    ONCE = "once"
    """Harm: it may happen twice. Only what surely did not happen is sent again."""


class Fresh(Protocol):
    """What a call needs of the moment at which it is made; the same in all its tries."""

    def now(self) -> str:
        """Return the time in RFC 3339, UTC."""
        ...

    def id(self) -> str:
        """Return an id that nobody else has."""
        ...


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """How an answer is read, and what stands for it where there is none.

    `read` takes the bytes of a body and raises ValueError where they are none of an Everturn;
    `nothing` takes the code of a failure. Without it `best_effort` does not hold: the failure is
    raised.
    """

    read: Callable[[bytes], T]
    nothing: Callable[[str], T] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """One request, and what comes of it.

    `name` is for logs. `gone` stands for a 404 after a try that got no clear answer: what was to
    be removed is not there. `complete` fills in what the call needs of its moment.
    """

    name: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    answer: Answer[T]
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    body: Mapping[str, Json] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeat: Repeat = Repeat.SAFE
    gone: T | None = None
    complete: Callable[["Call[T]", Fresh], "Call[T]"] | None = None

    def completed(self, fresh: Fresh) -> "Call[T]":
        """Return the call as it is sent, in each of its tries."""
        return self if self.complete is None else self.complete(self, fresh)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk(Generic[PageT, ItemT]):
    """Pages, one call each: the first one, what is on a page, and the call for the next one."""

    first: Call[PageT]
    items: Callable[[PageT], Sequence[ItemT]]
    then: Callable[[PageT], Call[PageT] | None]

    def after(self, page: PageT, call: Call[PageT], asked: set[str]) -> Call[PageT] | None:
        """Return the call for what comes after the page that `call` gave; None at the end.

        No empty page stands for a failure of it: the first pages would pass for all there is.
        `asked` is one set for a whole walk, empty at first: what was asked for so far.

        Raises:
            MisconfiguredError: it would be one of the calls before again.
        """
        asked.add(query_of(call.params))
        following = self.then(page)
        if following is None:
            return None
        if query_of(following.params) in asked:
            raise MisconfiguredError("the pages do not go on, this is no everturn")
        return replace(following, answer=Answer(following.answer.read))


Plan: TypeAlias = Generator[Call[Any], Any, T]
"""Several calls, each yielded and its result sent back, that come to one result."""


def model(kind: type[ResultT]) -> Answer[ResultT]:
    """Read an answer into a model."""
    return Answer(kind.model_validate_json, kind.nothing)


def certain(kind: type[ResultT]) -> Answer[ResultT]:
    """Read an answer into a model, for what must not pass for done: its failure is raised."""
    return Answer(kind.model_validate_json)


def with_key(call: Call[T], fresh: Fresh) -> Call[T]:
    """Return a call with an idempotency key of its own, unless it has one."""
    return replace(call, headers={"Idempotency-Key": fresh.id(), **call.headers})


def told(**fields: Json) -> dict[str, Json]:
    """Return the fields of a body that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


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
