"""Which bucket of the index a memory is in: by the first digits of its id, which are evenly spread.

A change rewrites one bucket, so there are more of them where there are many memories.

    "0"          all memories, up to 2,048
    "1a"         those whose id begins with a, up to 32,768 in all
    "2af"        those whose id begins with af
"""

from typing import Final

_FEW, _SOME = 2_048, 32_768
_DIGITS: Final = "0123456789abcdef"


def depth_of(count: int) -> int:
    """Return by how many digits so many memories are parted."""
    return 0 if count <= _FEW else 1 if count <= _SOME else 2


def bucket_of(rid: str, depth: int) -> str:
    """Return the bucket of a memory at a depth."""
    return f"{depth}{rid[:depth]}"


def buckets_of(rid: str) -> tuple[str, ...]:
    """Return the buckets that a memory may be in, at whatever depth."""
    return tuple(bucket_of(rid, depth) for depth in range(3))


def first_digits(bucket: str) -> str:
    """Return what the ids in a bucket begin with."""
    return bucket[1:]


def even_edges(prefix: str, first_page_end: str) -> tuple[str, ...]:
    """Return where a listing of evenly spread ids may be parted, none where it is short.

    Args:
        prefix: of all keys.
        first_page_end: the key that ended the first page; other pages are about as long.
    """
    digits = first_page_end.removeprefix(prefix)[:2]
    try:
        share = (int(digits, 16) + 1) / 256
    except ValueError:
        return ()
    parts = min(round(1 / share), len(_DIGITS))
    step = len(_DIGITS) // parts if parts else len(_DIGITS)
    return tuple(prefix + digit for digit in _DIGITS[step::step]) if parts > 1 else ()
