"""The file of the vectors of a bucket of memories: records of one size, by the id of the memory.

No numpy: who forgets a memory takes its vector out, by its id, since nobody may know any more which
text it was of.

    "EVMV1" | d (2 bytes) | records | checksum (8 bytes), all little-endian
    record  = id (16 bytes) | hash of the text (uint64) | scale (float32) | d times int8
"""

import hashlib
import struct
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

_MARK: Final = b"EVMV1"
_HEAD_BYTES: Final = len(_MARK) + 2
_FRONT: Final = struct.Struct("<16sQf")
_SUM_BYTES: Final = 8


class StoredVector(NamedTuple):
    """A vector as it is stored: scale times int8 values; scale 0 where a model had none."""

    scale: float
    values: bytes


class OwnedVector(NamedTuple):
    """The vector of the text that a memory has, or had, and the hash of that text."""

    rid: str
    text_hash: int
    vector: StoredVector


def encode_vectors(owned: Iterable[OwnedVector], dimensions: int) -> bytes:
    """Return the file of vectors of one length, one a memory, in the order of their ids."""
    records = (
        _FRONT.pack(bytes.fromhex(rid), text_hash, vector.scale) + vector.values
        for rid, text_hash, vector in sorted(owned)
    )
    body = b"".join([_MARK, dimensions.to_bytes(2, "little"), *records])
    return body + _checksum(body)


def decode_vectors(body: bytes, dimensions: int) -> list[OwnedVector] | None:
    """Read a file; None where it is none, is damaged, or its vectors are of another length."""
    rest, check = body[:-_SUM_BYTES], body[-_SUM_BYTES:]
    head = _MARK + dimensions.to_bytes(2, "little")
    size = _FRONT.size + dimensions
    if _checksum(rest) != check or rest[:_HEAD_BYTES] != head or (len(rest) - len(head)) % size:
        return None
    starts = range(len(head), len(rest), size)
    return [_record(rest[start : start + size]) for start in starts]


def _record(record: bytes) -> OwnedVector:
    rid, text_hash, scale = _FRONT.unpack_from(record)
    return OwnedVector(rid.hex(), text_hash, StoredVector(scale, record[_FRONT.size :]))


def without_vectors(body: bytes, rids: Collection[str]) -> bytes | None:
    """Return the file without the vectors of some memories; None where it cannot be read."""
    dimensions = int.from_bytes(body[len(_MARK) : _HEAD_BYTES], "little")
    owned = decode_vectors(body, dimensions)
    if owned is None:
        return None
    return encode_vectors((one for one in owned if one.rid not in rids), dimensions)


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).digest()
