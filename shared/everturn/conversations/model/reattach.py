"""Reattach the head that another program wrote to the segments that it does not name.

The other program writes the turns that it read, then its own. Turns may have been sealed since its
read. Of these it read the first ones in the head, and never saw the others.

Segments of lost attempts, and segments merged into a later one, are stored next to the current
ones. A name alone proves nothing: each segment must match what follows it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from everturn.conversations.model.encoded_turns import join_run, split_run
from everturn.conversations.model.head import Record, readable
from everturn.conversations.model.sealing import follower_of
from everturn.conversations.model.segment_refs import Sealed, SegmentRef
from everturn.conversations.model.summary import title_of
from everturn.conversations.model.turn_identity import SaidTurn, said_turns
from everturn.values.go_json import JsonValue


@dataclass(frozen=True, slots=True)
class Rejoined:
    """The record as it is read now."""

    record: Record
    is_all: bool = True
    """Whether it holds all that the segments do; where not, nobody knows where that belongs."""


def rejoin(record: Record, segments: Mapping[str, Record]) -> Rejoined:
    """Return the record with what is sealed; as it is where it is whole, or meets no segment.

    Turns that the segments hold already are left out of the head. Others that were sealed since it
    was read come before those that the other program added: they had their numbers first. Then the
    last segment's turns stand in the head once more, to be sealed anew before what follows now.

    Args:
        record: as the other program wrote it.
        segments: all that lie in the conversation's folder, by name.
    """
    tail = said_turns(record.values)
    chain = find_chain(tail, segments)
    if chain is not None:
        return Rejoined(_joined(record, chain, segments))
    refs = [SegmentRef(name, 0) for name in segments]
    is_all = all(
        accounts_for(said_turns(segments[ref.name].values), tail[ref.first : ref.last + 1])
        for ref in refs
    )
    return Rejoined(record, is_all)


@dataclass(frozen=True, slots=True)
class Chain:
    """Segments that tile from turn 0, and how many of the head's first turns they hold already."""

    refs: tuple[SegmentRef, ...] = ()
    held: int = 0


def _joined(record: Record, chain: Chain, segments: Mapping[str, Record]) -> Record:
    newest, refs, head, values = (
        segments[chain.refs[-1].name],
        chain.refs,
        record.head,
        record.values,
    )
    if chain.held:
        turns = split_run(head.turns_json)[chain.held :]
        if not turns or not _is_followed(newest, turns[0].value):
            # What it says of the turn that follows holds no longer, so it would not be found again.
            # And a list shows the newest turn from the head alone.
            turns, refs = [*split_run(newest.head.turns_json), *turns], refs[:-1]
        head = replace(head, turns_json=join_run(turns))
        values = tuple(turn.value for turn in turns)
    sealed = Sealed(refs, _title(refs, segments)) if refs else None
    count = (sealed.turns if sealed else 0) + len(values)
    return Record(replace(head, sealed=sealed, turn_count=count), values)


def _is_followed(segment: Record, value: JsonValue) -> bool:
    [turn], follower = said_turns([value]), follower_of(segment)
    return follower.is_at(turn) and not follower.is_other(turn)


def _title(refs: Iterable[SegmentRef], segments: Mapping[str, Record]) -> str:
    titles = (title_of(readable(ref.first, segments[ref.name].values)) for ref in refs)
    return next((title for title in titles if title), "")


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


def overlap(held: Sequence[SaidTurn], following: Sequence[SaidTurn]) -> int:
    """Return how many of the last turns held are said again by those that follow.

    In a batch that is legal: `yes, yes`.
    """
    starts = (at for at, turn in enumerate(held) if turn[:3] == following[0][:3])
    sizes = ((at, min(len(held) - at, len(following))) for at in starts)
    same = (size for at, size in sizes if _same(held[at : at + size], following[:size]))
    return next(same, 0)


def _same(some: Sequence[SaidTurn], others: Sequence[SaidTurn]) -> bool:
    return all(one[:3] == other[:3] for one, other in zip(some, others, strict=True))


def repeats(segment: Sequence[SaidTurn], own: Sequence[SaidTurn]) -> bool:
    """Say whether a head holds the first segment's turns itself: then it is whole.

    Half of them are enough: since a lost attempt wrote the segment, the head's own were edited.
    """
    pairs = zip(segment, own, strict=False)
    return 2 * sum(held[:3] == turn[:3] for held, turn in pairs) >= len(segment)


def held_already(
    held: Sequence[SaidTurn], own: Sequence[SaidTurn], starts: Sequence[int]
) -> int | None:
    """Return how many of a head's first turns are sealed, None where none are for certain.

    They are a run anywhere, and then those that came to be sealed later, each known by its time.
    0 for a run from the very beginning: then the head is whole.

    Args:
        held: all turns sealed, in order.
        own: those of the head.
        starts: where the first turn of the head stands among those sealed.
    """
    run, at = max(((_run(held, start, own), start) for start in starts), default=(0, 0))
    known = (not own[index].is_blank for index in range(run) if not held[at + index].redacted)
    if not any(known):
        return None
    if not at:
        return 0
    later, rest = held[at + run :], own[run:]
    if any(turn.is_there(other) for turn, other in zip(later, rest, strict=False)):
        # The same turns, some of them edited since a lost attempt sealed them.
        return None
    return run + _said_later(later, rest)


def _run(held: Sequence[SaidTurn], start: int, own: Sequence[SaidTurn]) -> int:
    pairs = zip(held[start:], own, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].is_also(pair[1]), pairs))


def _said_later(later: Sequence[SaidTurn], rest: Sequence[SaidTurn]) -> int:
    """Return how many of the first turns of the rest stand in what was sealed later, in order."""
    place = count = 0
    for turn in rest:
        places = (at for at in range(place, len(later)) if later[at].is_also(turn))
        found = next(places, None) if turn.at else None
        if found is None:
            break
        place, count = found + 1, count + 1
    return count


def accounts_for(held: Sequence[SaidTurn], own: Sequence[SaidTurn]) -> bool:
    """Say whether a head's turns are those of a segment, each at its place, some redacted perhaps.

    Args:
        held: the turns of the segment.
        own: those of the head with the same numbers, fewer where it ends before.
    """
    pairs = zip(held, own, strict=False)
    return len(own) >= len(held) and all(turn.is_there(other) for turn, other in pairs)
