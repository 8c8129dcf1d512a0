"""What an index keeps of one memory: all that choosing it needs, and nothing that it says.

No numpy: a delete looks for sources here.

    one file a bucket: {"format", "rows": [[rid, etag, kind, ...], ...]} with a checksum before it
"""

import hashlib
import json
import math
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from everturn.memory.model.identity import IDENTITY_VERSION
from everturn.memory.model.memory import PROVEN_COVERAGE, Memory
from everturn.memory.model.salience import log_salience
from everturn.memory.model.supersession import Replaces, Stated
from everturn.recall.language.terms import (
    TERMS_VERSION,
    hash_of_text,
    identifiers_of,
    matchable_text,
    terms_of,
)
from everturn.values.memory_kind import KINDS

USER, HARD, PINNED, FORGOTTEN = 1, 2, 4, 8
"""Bits of `flags`: it is about the user; a hard constraint; pinned; nothing but its id is left."""

_FORMAT: Final = f"1.{IDENTITY_VERSION}.{TERMS_VERSION}"
_SUM_BYTES: Final = 16
_TYPES: Final[tuple[Any, ...]] = (
    str, str, str, int, float, int, int, (int, type(None)), list, list, int, float, list, int, int,
    str,
)  # fmt: skip


class MemoryRow(NamedTuple):
    """One memory at one etag.

    `salience` is a logarithm that does not change with time; `starts` and `replaces` are as
    `supersession.Stated` has them; `sources` are refs of 16 hex digits; `size` is bytes of the
    text; `terms` are the different ones in hex, little-endian uint32 each, in ascending order.
    """

    rid: str
    etag: str
    kind: str
    flags: int
    salience: float
    first_ns: int
    last_ns: int
    valid_from_ns: int | None
    starts: tuple[tuple[int, int], ...]
    replaces: tuple[Replaces, ...]
    coverage: int
    strength: float
    sources: tuple[str, ...]
    text_hash: int
    size: int
    terms: str

    @property
    def is_forgotten(self) -> bool:
        """Whether nothing but its id is left."""
        return self.flags & FORGOTTEN > 0

    @property
    def is_proven(self) -> bool:
        """Whether it is a pattern that enough sources speak for."""
        return self.kind == "pattern" and self.coverage >= PROVEN_COVERAGE

    @property
    def stated(self) -> Stated:
        """What decides whether it holds."""
        return Stated(self.rid, self.starts, self.replaces)


def row_of(memory: Memory, etag: str) -> MemoryRow:
    """Return the row of a memory."""
    text = matchable_text(memory.text) if not memory.is_forgotten else ""
    flags = (
        USER * memory.is_of_user
        | HARD * memory.hard
        | PINNED * memory.pinned
        | FORGOTTEN * memory.is_forgotten
    )
    return MemoryRow(
        rid=memory.rid,
        etag=etag,
        kind=memory.kind,
        flags=flags,
        salience=log_salience(
            importance=memory.importance, count=memory.count, last_seen_ns=memory.last_seen_ns
        ),
        first_ns=memory.first_seen_ns,
        last_ns=memory.last_seen_ns,
        valid_from_ns=memory.valid_from_ns,
        starts=memory.starts,
        replaces=memory.replaces,
        coverage=memory.count,
        strength=memory.strength,
        sources=memory.all_refs,
        text_hash=hash_of_text(text),
        size=len(text.encode()),
        terms=_terms_hex([*terms_of(text), *identifiers_of(text)]),
    )


def _terms_hex(terms: Iterable[int]) -> str:
    return b"".join(term.to_bytes(4, "little") for term in sorted(set(terms))).hex()


def encode_rows(rows: Iterable[MemoryRow]) -> bytes:
    """Return the file of a bucket."""
    body = json.dumps({"format": _FORMAT, "rows": list(rows)}, separators=(",", ":")).encode()
    return _checksum(body) + body


def decode_rows(body: bytes) -> list[MemoryRow] | None:
    """Read the file of a bucket; None where it is none, is damaged, or made by other rules."""
    check, rest = body[:_SUM_BYTES], body[_SUM_BYTES:]
    if _checksum(rest) != check:
        return None
    try:
        fields = json.loads(rest)
        if fields["format"] != _FORMAT:
            return None
        return [_row(values) for values in fields["rows"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _row(values: list[Any]) -> MemoryRow:
    # A checksum tells of damage, not of a mistake: an index is derived, and a file of another
    # program may lie there.
    checked = zip(values, _TYPES, strict=True)
    if not all(isinstance(value, of) for value, of in checked) or not math.isfinite(values[4]):
        raise TypeError("a row is no row")
    row = MemoryRow(*values)
    if row.kind not in KINDS:
        raise ValueError("a kind is none")
    return row._replace(
        starts=tuple((since, said) for since, said in row.starts),
        replaces=tuple(Replaces(*edge) for edge in row.replaces),
        sources=tuple(row.sources),
    )


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES // 2).hexdigest().encode()
