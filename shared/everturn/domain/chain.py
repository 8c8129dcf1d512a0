"""The sealed part of a head found again, after another program wrote the head without it.

Not here: reading the segments (services/read_record.py). The segments of lost attempts lie beside
those that count, so a name alone proves nothing: each must meet what follows it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from everturn.domain.go_json import JsonValue
from everturn.domain.head import Record, readable
from everturn.domain.sealed import Sealed, SegmentRef
from everturn.domain.sealing import follower_ts, ts_of
from everturn.domain.summary import title_of
from everturn.domain.turn_run import file_time


@dataclass(frozen=True, slots=True)
class _Chain:
    """Segments that tile from turn 0."""

    refs: tuple[SegmentRef, ...] = ()
    redacted: int = 0
    """How many of its turns are redacted."""


def find_chain(tail: Sequence[JsonValue], segments: Mapping[str, Record]) -> Sealed | None:
    """Return the longest chain of segments that tiles from turn 0 and meets the turns of a head.

    Args:
        tail: the turns of the head as it is now.
        segments: all that lie in the conversation's folder, by name.

    Returns:
        None where no chain meets the head: then its first turn is turn 0.
    """
    chains = (chain for ending in _chains(segments).values() for chain in ending)
    parts = [chain for chain in chains if not _repeats(segments[chain.refs[0].name], tail)]
    best = _best(parts, tail, segments)
    return None if best is None else Sealed(best.refs, _title(best.refs, segments))


def _chains(segments: Mapping[str, Record]) -> dict[int, list[_Chain]]:
    """Return the best chain that ends with each segment, by the number of the turn after it."""
    chains: dict[int, list[_Chain]] = {}
    for name in sorted(segments):
        values = segments[name].values
        ref = SegmentRef(name, segments[name].newest_ns)
        before = _best(chains.get(ref.first, ()), values, segments) if ref.first else _Chain()
        if before is not None:
            longer = _Chain((*before.refs, ref), before.redacted + _redacted(values))
            chains.setdefault(ref.last + 1, []).append(longer)
    return chains


def _best(
    chains: Iterable[_Chain], following: Sequence[JsonValue], segments: Mapping[str, Record]
) -> _Chain | None:
    """Return the chain that turns go on, if one does.

    The one of which they say the least again, then the longest: of two with the same turns the more
    redacted one is the later one.
    """
    ranked = [
        ((-overlap, chain.refs[-1].last, chain.redacted), chain)
        for chain in chains
        if (overlap := _overlap(segments[chain.refs[-1].name], following)) is not None
    ]
    return max(ranked, key=lambda pair: pair[0])[1] if ranked else None


def _overlap(segment: Record, following: Sequence[JsonValue]) -> int | None:
    """Return how many of its last turns are said again; None if it is followed at another time.

    In a batch that is legal: `yes, yes`.
    """
    if not following or _instant(ts_of(following[0])) != _instant(follower_ts(segment)):
        return None
    held, after = list(map(_said, segment.values)), list(map(_said, following))
    starts = (at for at, turn in enumerate(held) if turn == after[0])
    again = (
        size
        for at in starts
        if held[at : at + (size := min(len(held) - at, len(after)))] == after[:size]
    )
    return next(again, 0)


def _repeats(segment: Record, tail: Sequence[JsonValue]) -> bool:
    """Say whether a head holds the first segment's turns itself: then it is whole.

    Half of them are enough: since a lost attempt wrote the segment, the head's own were edited.
    """
    pairs = zip(map(_said, segment.values), map(_said, tail), strict=False)
    return 2 * sum(held == turn for held, turn in pairs) >= len(segment.values)


def _said(value: JsonValue) -> tuple[str, str, int | str]:
    """Return what every program keeps of a turn."""
    fields = value if isinstance(value, dict) else {}
    return str(fields.get("role")), str(fields.get("text")), _instant(ts_of(value))


def _instant(ts: str) -> int | str:
    """Return a time as a number: another program may write it otherwise."""
    time_ns = file_time(ts)
    return ts if time_ns is None else time_ns


def _redacted(values: Sequence[JsonValue]) -> int:
    return sum(isinstance(value, dict) and value.get("redacted") is True for value in values)


def _title(refs: Iterable[SegmentRef], segments: Mapping[str, Record]) -> str:
    titles = (title_of(readable(ref.first, segments[ref.name].values)) for ref in refs)
    return next((title for title in titles if title), "")
