"""The sealed part of a conversation: which segments hold its oldest turns.

"sealed":{"turns":N,"segs":[{"name","newest"},...],"title"?}
name   {first:012d}-{last:012d}-{write id of the attempt}; the segments tile from turn 0
newest the greatest `ts` inside
title  made of the first user turn sealed, so that a list needs the head alone
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.timestamps import format_time, parse_time

_NAME = re.compile(r"(\d{12})-(\d{12})-[A-Za-z0-9_-]{16}", re.ASCII)


@dataclass(frozen=True, slots=True)
class SegmentRef:
    """One segment: its name, which says its turns, and the greatest `ts` in it."""

    name: str
    newest_ns: int

    @property
    def first(self) -> int:
        """The number of its first turn."""
        return int(self.name[:12])

    @property
    def last(self) -> int:
        """The number of its last turn."""
        return int(self.name[13:25])

    @property
    def count(self) -> int:
        """How many turns it holds."""
        return self.last - self.first + 1

    def meets(self, other: "SegmentRef") -> bool:
        """Whether both hold a turn of the same number."""
        return self.first <= other.last and other.first <= self.last

    def is_inside(self, other: "SegmentRef") -> bool:
        """Whether the other one holds all turns of these numbers, and more."""
        return self.count < other.count and other.first <= self.first and self.last <= other.last

    def holds(self, number: int) -> bool:
        """Whether it holds the turn of this number."""
        return self.first <= number <= self.last


@dataclass(frozen=True, slots=True)
class Sealed:
    """The segments of a conversation, at least one, oldest first."""

    segments: tuple[SegmentRef, ...]
    title: str = ""

    @property
    def turns(self) -> int:
        """How many turns are sealed; the next turn has this number."""
        return self.segments[-1].last + 1

    @property
    def newest_ns(self) -> int:
        """The greatest `ts` in all of them."""
        return max(ref.newest_ns for ref in self.segments)

    @property
    def names(self) -> frozenset[str]:
        """The names of all segments."""
        return frozenset(ref.name for ref in self.segments)

    def holding(self, first: int, last: int) -> tuple[SegmentRef, ...]:
        """Return the segments that hold turns of this range, oldest first."""
        return tuple(ref for ref in self.segments if ref.first <= last and ref.last >= first)

    def with_replaced(self, old: SegmentRef, new: SegmentRef, *, title: str) -> "Sealed":
        """Return this with one segment in the place of another of the same turns."""
        return Sealed(tuple(new if ref is old else ref for ref in self.segments), title)

    def json(self) -> JsonObject:
        """Return what the head holds."""
        segments: list[JsonValue] = [
            {"name": ref.name, "newest": _text_of(ref.newest_ns)} for ref in self.segments
        ]
        value: JsonObject = {"turns": self.turns, "segs": segments}
        return {**value, "title": self.title} if self.title else value


def segment_name(first: int, last: int, write_id: str) -> str:
    """Return the name of a segment, which no other attempt has."""
    return f"{first:012d}-{last:012d}-{write_id}"


def is_segment_name(text: str) -> bool:
    """Say whether a text names a segment."""
    match = _NAME.fullmatch(text)
    return match is not None and int(match[1]) <= int(match[2])


def parse_sealed(value: JsonObject) -> Sealed:
    """Read what a head holds.

    Raises:
        ValueError: it is not what we write; then nobody knows the numbers of the head's turns.
    """
    listed, title = value.get("segs"), value.get("title", "")
    if not isinstance(listed, list) or not listed or not isinstance(title, str):
        raise ValueError("no segments")
    sealed = Sealed(tuple(map(_parse_ref, listed)), title)
    if value.get("turns") != sealed.turns or not tiles(sealed.segments):
        raise ValueError("the segments do not tile")
    return sealed


def tiles(segments: Sequence[SegmentRef]) -> bool:
    """Say whether segments hold all turns from 0 on, each once."""
    starts = [0, *(ref.last + 1 for ref in segments)]
    return all(ref.first == start for ref, start in zip(segments, starts, strict=False))


# An append writes all times of a head again, and they never change.
_text_of = lru_cache(maxsize=4_096)(format_time)


def _parse_ref(value: JsonValue) -> SegmentRef:
    fields = value if isinstance(value, dict) else {}
    name, newest = fields.get("name"), fields.get("newest")
    return _ref_of(name if isinstance(name, str) else "", newest if isinstance(newest, str) else "")


@lru_cache(maxsize=4_096)
def _ref_of(name: str, newest: str) -> SegmentRef:
    newest_ns = parse_time(newest)
    if newest_ns is None or not is_segment_name(name):
        raise ValueError("a segment has no name or no time")
    return SegmentRef(name, newest_ns)
