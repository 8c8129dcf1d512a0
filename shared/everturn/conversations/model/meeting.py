"""Where the turns of a head that another program wrote belong in what is sealed.

The other program writes what it read, and then its own. Meanwhile turns may have been sealed that
it read in the head, and after them others that it never saw.
"""

from collections.abc import Sequence
from itertools import takewhile

from everturn.conversations.model.turn_identity import SaidTurn


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
