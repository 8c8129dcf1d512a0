"""The sealed part of a head found again, after another program wrote the head without it.

The segments of lost attempts, and those that a later one took in, lie beside those that count, so a
name alone proves nothing: each must meet what follows it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from everturn.conversations.model.head import Record
from everturn.conversations.model.meeting import held_already, overlap, repeats
from everturn.conversations.model.sealing import follower_of
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.turn_identity import SaidTurn, said_turns


@dataclass(frozen=True, slots=True)
class Chain:
    """Segments that tile from turn 0, and how many of the head's first turns they hold already."""

    refs: tuple[SegmentRef, ...] = ()
    held: int = 0


@dataclass(frozen=True, slots=True)
class _Links:
    """Segments that tile from turn 0."""

    refs: tuple[SegmentRef, ...] = ()
    redacted: int = 0
    """How many of its turns are redacted."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Segments that turns belong to, and how many of these turns are said by both."""

    links: _Links
    again: int
    is_inside: bool = False
    is_same: bool = True
    """Whether the very turn follows that did, not just one of the same time."""

    @property
    def holds(self) -> tuple[int, int]:
        """How many turns there are in all, but for those of the head; then the more redacted."""
        return self.links.refs[-1].last - self.again, self.links.redacted

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        """Order those that turns go on: by the least said again, then by length.

        Of two with the same turns the more redacted one is the later one.
        """
        return self.is_same, -self.again, self.links.refs[-1].last, self.links.redacted


@dataclass(frozen=True, slots=True)
class _Folder:
    """All segments of a conversation, and what they say, by name."""

    segments: Mapping[str, Record]
    said: Mapping[str, Sequence[SaidTurn]]

    def end(self, links: _Links, following: Sequence[SaidTurn]) -> _Candidate | None:
        """Return the chain if turns go on where it ends: at the time of what followed it."""
        name = links.refs[-1].name
        follower = follower_of(self.segments[name])
        if not following or not follower.is_at(following[0]):
            return None
        again = overlap(self.said[name], following)
        return _Candidate(links, again, is_same=not follower.is_other(following[0]))

    def best_end(
        self, chains: Iterable[_Links], following: Sequence[SaidTurn]
    ) -> _Candidate | None:
        """Return the one of these that turns go on, None without any."""
        ends = (end for links in chains if (end := self.end(links, following)) is not None)
        return max(ends, key=lambda end: end.rank, default=None)


def find_chain(tail: Sequence[SaidTurn], segments: Mapping[str, Record]) -> Chain | None:
    """Return the segments that tile from turn 0 and to which the turns of a head belong.

    A head goes on where they end; or its first turns are inside of them, where it was read before
    they were sealed. Those that keep the most turns count.

    Args:
        tail: the turns of the head as it is now.
        segments: all that lie in the conversation's folder, by name.

    Returns:
        None where no chain meets the head, and where it holds turn 0 itself.
    """
    if not tail:
        return None
    folder = _Folder(segments, {name: said_turns(it.values) for name, it in segments.items()})
    found = list(_candidates(tail, folder))
    ends = (it for it in found if not it.is_inside)
    end = max(ends, key=lambda it: it.rank, default=None)
    best = max((it for it in found if it.is_inside), key=lambda it: it.holds, default=None)
    if best is not None and (end is None or best.holds > end.holds):
        return Chain(best.links.refs, best.again)
    return None if end is None else Chain(end.links.refs)


def _chains(folder: _Folder) -> Iterator[_Links]:
    """Yield the best chain that ends with each segment."""
    chains: dict[int, list[_Links]] = {}
    for name in sorted(folder.segments):
        ref = SegmentRef(name, folder.segments[name].newest_ns)
        before = _Links()
        if ref.first:
            best = folder.best_end(chains.get(ref.first, ()), folder.said[name])
            if best is None:
                continue
            before = best.links
        redacted = sum(turn.redacted for turn in folder.said[name])
        longer = _Links((*before.refs, ref), before.redacted + redacted)
        chains.setdefault(ref.last + 1, []).append(longer)
        yield longer


def _candidates(tail: Sequence[SaidTurn], folder: _Folder) -> Iterator[_Candidate]:
    places = {
        name: [at for at, turn in enumerate(turns) if turn.is_also(tail[0])]
        for name, turns in folder.said.items()
    }
    for links in _chains(folder):
        if repeats(folder.said[links.refs[0].name], tail):
            continue
        end = folder.end(links, tail)
        if end is not None and end.is_same:
            yield end
            continue
        starts = [ref.first + at for ref in links.refs for at in places[ref.name]]
        held = [turn for ref in links.refs for turn in folder.said[ref.name]] if starts else []
        again = held_already(held, tail, starts)
        if again:
            yield _Candidate(links, again, is_inside=True)
        elif again is None and end is not None:
            yield end
