"""The newest 60 writes of a conversation, stored in the metadata of its head.

    w = entry entry ...   newest first, 30 characters each:
        write id (16) | hash of the turns as sent (8) | number of the first turn, base 36 (6)
    e = how often turns were removed: redacted, popped, deleted (base 36; absent for never)
    k = 1: segments hold turns that the head does not, and are not removed

An id that was deleted and created again keeps the write ids of its deleted generation, without
hashes. So an append that was deleted before its writer got an answer cannot come back.
The head of a deleted conversation is replaced by a tombstone, which carries the ring.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from everturn.conversations.model.head import Head
from everturn.values.keys import Scope

WRITE_ID_BYTES = 12
# 60 entries of 30 characters fit the 2 KB of metadata that S3 allows, with room for our mark.
RING_ENTRIES = 60
_ID_CHARS, _HASH_CHARS, _INDEX_CHARS = 16, 8, 6
_ENTRY_CHARS = _ID_CHARS + _HASH_CHARS + _INDEX_CHARS
# Set on everything we write: an object without it was written by another program.
_MARK = {"v": "1"}
_STORED = re.compile(rf"(?:[A-Za-z0-9_-]{{24}}[0-9a-z]{{6}}){{0,{RING_ENTRIES}}}", re.ASCII)
_COUNT = re.compile(r"[0-9a-z]{6}", re.ASCII)
_NO_HASH = "A" * _HASH_CHARS
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class RingEntry:
    """One append: who wrote, what was sent, and where its first turn stands."""

    write_id: str
    turns_hash: str
    first_turn: int

    @property
    def is_former(self) -> bool:
        """Whether the write belongs to a life of the id that was deleted."""
        return self.turns_hash == _NO_HASH


@dataclass(frozen=True, slots=True)
class WriteRing:
    """Entries, newest first, in their stored form; `edits` counts what was ever taken back."""

    text: str = ""
    edits: int = 0
    keeps_segments: bool = False
    """Whether segments hold turns that another program's head did not: no sweep removes any."""

    @property
    def newest(self) -> RingEntry | None:
        """The newest entry."""
        return self.find(self.text[:_ID_CHARS]) if self.text else None

    @property
    def is_full(self) -> bool:
        """Whether older entries may have fallen out."""
        return len(self.text) >= RING_ENTRIES * _ENTRY_CHARS

    def find(self, write_id: str) -> RingEntry | None:
        """Return the entry of a write, or None if it is not among the newest 60."""
        for start in range(0, len(self.text), _ENTRY_CHARS):
            if self.text.startswith(write_id, start):
                entry = self.text[start : start + _ENTRY_CHARS]
                return RingEntry(
                    write_id, entry[_ID_CHARS:-_INDEX_CHARS], int(entry[-_INDEX_CHARS:], 36)
                )
        return None

    def reaches(self, turn: int) -> bool:
        """Say whether the entries go back to this turn: then they know of every append since."""
        return bool(self.text) and int(self.text[-_INDEX_CHARS:], 36) <= turn

    def with_entry(self, entry: RingEntry) -> "WriteRing":
        """Return the ring with an entry in front; the oldest beyond 60 falls out."""
        text = entry.write_id + entry.turns_hash + _base36(entry.first_turn) + self.text
        return replace(self, text=text[: RING_ENTRIES * _ENTRY_CHARS])

    def edited(self) -> "WriteRing":
        """Return the ring of a conversation of which something is taken back now."""
        return replace(self, edits=self.edits + 1)

    def scrubbed(self) -> "WriteRing":
        """Return the ring of a former life: write ids alone, not even hashes of deleted turns."""
        starts = range(0, len(self.text), _ENTRY_CHARS)
        ids = (self.text[start : start + _ID_CHARS] for start in starts)
        text = "".join(f"{own}{_NO_HASH}{_base36(0)}" for own in ids)
        return replace(self, text=text, keeps_segments=False)

    @property
    def meta(self) -> dict[str, str]:
        """The object metadata that carries the ring: ASCII, at most 1,812 bytes."""
        fields = {"w": self.text, "e": _base36(self.edits) if self.edits else ""}
        kept = {**fields, "k": "1" if self.keeps_segments else ""}
        return {**_MARK, **{name: value for name, value in kept.items() if value}}


def ring_of(meta: Mapping[str, str]) -> WriteRing:
    """Read the ring from an object's metadata; empty where another program wrote the object."""
    text, edits = meta.get("w", ""), meta.get("e", "")
    return WriteRing(
        text if _STORED.fullmatch(text) else "",
        int(edits, 36) if _COUNT.fullmatch(edits) else 0,
        keeps_segments=meta.get("k") == "1",
    )


def is_ours(meta: Mapping[str, str]) -> bool:
    """Say whether we wrote an object, by its metadata: another program keeps none."""
    return "v" in meta


def write_id_of_key(scope: Scope, conversation_id: str, key: str) -> str:
    """Return the write id of an idempotency key, which belongs to one scope and conversation."""
    parts = (scope.tenant, scope.actor, conversation_id, key)
    sized = b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)
    return write_id(hashlib.sha256(sized).digest()[:WRITE_ID_BYTES])


def write_id(token: bytes) -> str:
    """Return 12 bytes as the 16 characters of a write id."""
    return base64.urlsafe_b64encode(token).decode("ascii")


def hash_of_turns(as_sent: bytes) -> str:
    """Return 8 characters that tell one request's turns from another's."""
    return base64.urlsafe_b64encode(hashlib.sha256(as_sent).digest()[:6]).decode("ascii")


def _base36(number: int) -> str:
    digits = ""
    for _ in range(_INDEX_CHARS):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits


def deletion(write_id: str) -> RingEntry:
    """Return the entry by which a deletion is known again."""
    return RingEntry(write_id, hash_of_turns(b""), 0)


def entomb(head: Head, ring: WriteRing, own: RingEntry, *, now_ns: int) -> tuple[Head, WriteRing]:
    """Return the tombstone of a head, and its ring: all writes belong to a former life now."""
    tombstone = head.tombstone(updated_ns=max(now_ns, head.updated_ns + 1))
    return tombstone, ring.scrubbed().edited().with_entry(own)
