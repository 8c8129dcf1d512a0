"""What the tests of sealing draw and build.

Segments that tile, heads with them, turns of a size.
"""

from collections.abc import Sequence
from itertools import accumulate

from hypothesis import strategies as st

from everturn.conversations.model.head import Head
from everturn.conversations.model.segment_refs import Sealed, SegmentRef, segment_name
from everturn.values.go_json import JsonObject, dumps
from everturn.values.timestamps import NANOSECONDS, format_time
from strategies.json_values import texts, times_ns

OWN = "own-write-id_016"
OTHER = "Zother-write-id0"
# 2026-03-01T10:00:00Z.
NOW = 1_772_359_200 * NANOSECONDS

write_ids = st.text("AZaz09_-", min_size=16, max_size=16)
pieces = st.tuples(st.integers(1, 40), write_ids, times_ns)


def tiled(counted: Sequence[tuple[int, str, int]], title: str = "") -> Sealed:
    """Return segments of so many turns, each with its write id and its newest time."""
    ends = list(accumulate(count for count, _, _ in counted))
    refs = [
        SegmentRef(segment_name(end - count, end - 1, write_id), newest_ns)
        for end, (count, write_id, newest_ns) in zip(ends, counted, strict=True)
    ]
    return Sealed(tuple(refs), title)


sealed_parts: st.SearchStrategy[Sealed] = st.builds(
    tiled, st.lists(pieces, min_size=1, max_size=5), texts
)
"""Sealed parts of any shape."""


def at(number: int) -> str:
    """Return the time of a turn: one second apart, so that no two turns are alike."""
    return format_time(NOW + number * NANOSECONDS)


def turn(number: int, text: str | None = None, *, role: str = "user", ts: str = "") -> JsonObject:
    """Return the stored value of a turn."""
    said = f"turn {number}" if text is None else text
    return {"role": role, "text": said, "ts": ts or at(number)}


def sized(number: int, size: int) -> JsonObject:
    """Return a turn of so many bytes as it is stored."""
    empty = len(dumps(turn(number, "")))
    return turn(number, "x" * (size - empty))


def head_of(turns: Sequence[JsonObject], *, title: str = "") -> Head:
    """Return the head that holds these turns itself."""
    return Head("c1", title=title).with_turns(encoded(turns), updated_ns=NOW)


def encoded(turns: Sequence[JsonObject]) -> list[bytes]:
    """Return turns as they are stored."""
    return [dumps(value).encode() for value in turns]
