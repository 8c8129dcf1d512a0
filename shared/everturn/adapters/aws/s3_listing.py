"""Reads a page of a listing without an XML tree: botocore needs 50 ms for 1,000 keys, this 1.

A page of an unexpected shape is left to botocore.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, cast, overload
from urllib.parse import unquote_plus

from everturn.ports.object_store import Entry, Etag, Page

# One match per key. Possessive, so that a page of another shape fails fast instead of backtracking.
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html#API_ListObjectsV2_ResponseSyntax
_ROW: Final = re.compile(
    "<Contents><Key>([^<]*+)</Key><LastModified>([^<]*+)</LastModified><ETag>([^<]*+)</ETag>"
    "(?:<C[^<]*+</[^<]*+)*+<Size>([^<]*+)</"
)
# Some servers order the fields of a row in another way; then each field is looked for alone.
_FIELDS: Final = tuple(
    re.compile(f"<{name}>([^<]*+)</{name}>") for name in ("Key", "LastModified", "ETag", "Size")
)
_FIRST, _LAST = "<Contents>", "</Contents>"
# The ampersand comes last, so that an escaped escape stays one.
_ENTITIES: Final = (
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
)
ROWS: Final = "EverturnRows"
"""Where `scan_page` leaves the rows in botocore's answer, as `Rows`."""


class Rows:
    """The rows of a page as columns: keys as the store has them, etags, sizes in bytes, times."""

    def __init__(self, columns: Sequence[Sequence[str]]) -> None:
        """Take the texts of the page in the order of `_FIELDS`, entities not yet replaced.

        Raises:
            ValueError: one of them is not what S3 writes.
        """
        keys, times, etags, sizes = columns
        self.keys = _plain(keys)
        self.modified = list(map(datetime.fromisoformat, times))
        self.etags = cast("list[Etag]", _plain(etags))
        self.sizes = list(map(int, sizes))
        if any(instant.tzinfo is None for instant in self.modified):
            raise ValueError("a time without an offset")


class Instants(Sequence[int]):
    """Times as Unix nanoseconds, reckoned when they are looked at: a long list rarely does."""

    def __init__(self, times: Sequence[datetime]) -> None:
        """Take aware times."""
        self._times = times

    def __len__(self) -> int:
        """How many there are."""
        return len(self._times)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "Instants": ...
    def __getitem__(self, index: int | slice) -> "int | Instants":
        """One of them, or some."""
        if isinstance(index, slice):
            return Instants(self._times[index])
        return _unix_ns(self._times[index])


def take_rows(body: bytes) -> tuple[bytes, Rows] | None:
    """Take the rows out of a page.

    Returns:
        The page without its rows, and the rows. None if the page has another shape than S3's.
    """
    page = body.decode("utf-8", "replace")
    rest = _without_rows(page)
    columns: list[Any] = list(zip(*_ROW.findall(page), strict=True)) or [()] * len(_FIELDS)
    if f"<KeyCount>{len(columns[0])}</KeyCount>" not in rest:
        # Not a count of what was found, or none at all: then counting the rows costs more.
        columns = [pattern.findall(page) for pattern in _FIELDS]
        if {len(column) for column in columns} != {page.count(_FIRST)}:
            return None
    try:
        return rest.encode(), Rows(columns)
    except ValueError:
        return None


def scan_page(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object
) -> None:
    """Do the work of botocore's parser on a page: a handler of `before-parse.*.ListObjectsV2`."""
    if response_dict["status_code"] != 200:  # noqa: PLR2004 - an HTTP status names itself
        return
    taken = take_rows(response_dict["body"])
    if taken:
        response_dict["body"], customized_response_dict[ROWS] = taken


def page_of(answer: Mapping[str, Any], *, prefix: str) -> Page:
    """Return the page of an answer to ListObjectsV2, whoever parsed it.

    Args:
        answer: what botocore returns.
        prefix: what all its keys begin with; it is taken from them.
    """
    rows, cut = answer.get(ROWS), len(prefix)
    if rows is None:
        entries = (
            Entry(row["Key"][cut:], Etag(row["ETag"]), row["Size"], _unix_ns(row["LastModified"]))
            for row in answer.get("Contents", ())
        )
        return Page.of(entries, more=answer["IsTruncated"])
    keys, text = rows.keys, "".join(rows.keys)
    if answer.get("EncodingType") == "url" and ("%" in text or "+" in text):
        keys = [unquote_plus(key) for key in keys]
    keys = [key[cut:] for key in keys] if cut else keys
    return Page(keys, rows.etags, rows.sizes, Instants(rows.modified), answer["IsTruncated"])


def _unix_ns(instant: datetime) -> int:
    # S3 gives whole seconds or milliseconds; a float of seconds would blur the digits below.
    return round(instant.timestamp() * 1_000) * 1_000_000


def _without_rows(page: str) -> str:
    first, last = page.find(_FIRST), page.rfind(_LAST)
    return page if first < 0 else page[:first] + page[last + len(_LAST) :]


def _plain(values: Sequence[str]) -> list[str]:
    # One pass over all of them; keys are sent URL-encoded, so there is no line feed in any.
    text = "\n".join(values)
    if "&" not in text:
        return list(values)
    for entity, char in _ENTITIES:
        if entity == "&amp;" and "&#" in text:
            raise ValueError("an entity that is not in the table")
        text = text.replace(entity, char)
        if "&" not in text:
            break
    plain = text.split("\n")
    if len(plain) != len(values):
        raise ValueError("a line feed in a value")
    return plain
