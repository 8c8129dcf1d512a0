"""Which tombstones an erasure has seen already, so that it need not open them when it goes on.

A mark is a hash of a key and an etag.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

_MARK_BYTES: Final = 8


def mark_of(key: str, etag: str) -> bytes:
    """Return the mark of one version of an object."""
    named = f"{key}\n{etag}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).digest()[:_MARK_BYTES]


def encode_marks(marks: Iterable[bytes]) -> bytes:
    """Return marks as they are stored."""
    return b"".join(sorted(marks))


def parse_marks(body: bytes) -> frozenset[bytes]:
    """Read marks; what is half a mark is none."""
    whole = range(0, len(body) - _MARK_BYTES + 1, _MARK_BYTES)
    return frozenset(body[start : start + _MARK_BYTES] for start in whole)
