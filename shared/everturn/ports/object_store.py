"""The door to an object store: get, conditional put, overwrite, delete, delete many, list.

One call is one request.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, NamedTuple, NewType, Protocol, Self

from everturn.errors import InvalidRequestError

Etag = NewType("Etag", str)
"""The store's version token of one object; opaque, never assumed to be an MD5."""

# S3 refuses user metadata above 2 KB (names and values together); moto does not.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
MAX_META_BYTES: Final = 1_900

# https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
MAX_DELETED_KEYS: Final = 1_000

# What comes back from an HTTP header as it was sent: header names lose their case, values lose
# blanks at their ends, and S3 encodes what is not ASCII. https://www.rfc-editor.org/rfc/rfc9110#section-5.5
_META_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_META_VALUE: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?")


class Sentinel(Enum):
    """Values that stand where an etag or an object could stand."""

    ABSENT = "absent"
    ANY = "any"
    UNCHANGED = "unchanged"


ABSENT: Final = Sentinel.ABSENT
"""Expectation of a put: there is no object at this key."""

ANY: Final = Sentinel.ANY
"""Expectation of a delete: whatever is there, or nothing."""

UNCHANGED: Final = Sentinel.UNCHANGED
"""Answer of a get: the object still has the etag that the caller holds."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One object as it was at one instant."""

    body: bytes
    etag: Etag
    meta: Mapping[str, str] = field(default_factory=dict)


class Entry(NamedTuple):
    """One row of a listing; `size` in bytes, `modified_ns` in Unix time by the store's clock."""

    key: str
    etag: Etag
    size: int
    modified_ns: int


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a listing as columns, in byte order of their keys; `more` says that others follow.

    Columns are all of one length: a list of 100,000 conversations looks at keys and etags alone.
    """

    keys: Sequence[str]
    etags: Sequence[Etag]
    sizes: Sequence[int]
    modified_ns: Sequence[int]
    more: bool

    @classmethod
    def of(cls, entries: Iterable[Entry], *, more: bool) -> Self:
        """Make a page of its rows."""
        columns: list[Any] = list(zip(*entries, strict=True)) or [()] * len(Entry._fields)
        keys, etags, sizes, modified_ns = columns
        return cls(keys, etags, sizes, modified_ns, more)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The rows, made anew each time."""
        columns = (self.keys, self.etags, self.sizes, self.modified_ns)
        return tuple(map(Entry, *columns))


def checked_meta(meta: Mapping[str, str] | None) -> dict[str, str]:
    """Return a copy of `meta` that every store takes and gives back as it is; {} for None.

    Raises:
        InvalidRequestError: a name is not `[a-z0-9-]+`, a value is empty, not printable ASCII or
            has blanks at an end, or names and values together are above `MAX_META_BYTES`.
    """
    checked = dict(meta or {})
    for name, value in checked.items():
        if not _META_NAME.fullmatch(name) or not _META_VALUE.fullmatch(value):
            raise InvalidRequestError(
                f"metadata is lower-case names and printable ascii name={name!a}"
            )
    size = sum(len(name) + len(value) for name, value in checked.items())
    if size > MAX_META_BYTES:
        raise InvalidRequestError(f"metadata is too large max_bytes={MAX_META_BYTES} bytes={size}")
    return checked


def checked_keys(keys: Sequence[str]) -> tuple[str, ...]:
    """Return the keys of one `delete_many`, each once and in the order given.

    Raises:
        InvalidRequestError: there are more than `MAX_DELETED_KEYS`.
    """
    checked = tuple(dict.fromkeys(keys))
    if len(checked) > MAX_DELETED_KEYS:
        raise InvalidRequestError(
            f"too many keys in one request max_keys={MAX_DELETED_KEYS} keys={len(checked)}"
        )
    return checked


class ObjectStore(Protocol):
    """Objects under keys, with the atomicity of S3: each call happens at one instant, or not.

    Keys are the ASCII strings of values/keys.py. Every method raises `UnavailableError` when the
    store does not answer and nothing was or will be written, `AccessDeniedError` when it refuses
    for good, and `MisconfiguredError` when the deployment cannot reach it: there is no such bucket,
    there are no credentials, or a directory is none. Each method names what it raises besides.
    """

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        """Read one object: None if absent, `UNCHANGED` if its etag is `unless_etag`.

        Raises:
            AccessDeniedError: no permission; also an absent key where neither reading nor listing
                tells absence from refusal.
        """
        ...

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        """Write one object if the key is as expected, else nothing; never retried inside.

        Args:
            key: where.
            body: the whole object.
            expect: `ABSENT`, or the etag of the object to replace.
            meta: ASCII names (lower-case) and values, at most `MAX_META_BYTES` in all.

        Returns:
            The new etag, never the same as an earlier one of this key with another body.

        Raises:
            PreconditionFailedError: another object is there, or a write is in flight; not written.
            GoneError: `expect` was an etag and the key is absent; not written.
            OutcomeUnknownError: no clear answer; the write may have happened or may yet happen.
            InvalidRequestError: `meta` is too large or not ASCII; not sent.
        """
        ...

    def overwrite(self, key: str, body: bytes) -> Etag:
        """Write one object whatever is there: for derived data alone, which may be lost.

        Raises:
            OutcomeUnknownError: no clear answer.
        """
        ...

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        """Remove one object if it has this etag, or with `ANY` whatever is there (absent is fine).

        Raises:
            PreconditionFailedError: the object has another etag; not removed.
            GoneError: `expect` was an etag and the key is absent.
            OutcomeUnknownError: no clear answer.
        """
        ...

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove up to `MAX_DELETED_KEYS` objects, whatever is there (absent is fine).

        Without keys there is no request.

        Returns:
            The keys that were perhaps not removed for a reason that may pass, in the order given:
            ask again for these.

        Raises:
            AccessDeniedError: at least one is refused for good; the others may be gone.
            OutcomeUnknownError: no clear answer for the whole; ask again for all.
            InvalidRequestError: there are more than `MAX_DELETED_KEYS`; not sent.
        """
        ...

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        """List one page of the keys that begin with `prefix` (ends in `/` or is a whole key).

        Args:
            prefix: what the keys begin with.
            start_after: only keys after this one, in byte order; "" for the first page.
        """
        ...
