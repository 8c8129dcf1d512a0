"""Which of several statements holds, and when: the newest word of those that replaced one another.

Statements with an edge between them, over any number of others, are a lineage: one of them holds at
a time. A statement joins it with the earliest edge that touches it. What is said of two members
after both joined, an edge included, ends what was said of the other before:

    8080 said at 1, 9090 replaces it at 2, 8080 said again at 3
        8080 holds in [1, 2) and [3, ...), 9090 in [2, 3)

An edge is stored in the statement that came, never in the one that went. So writers do not meet,
and the answer does not depend on which of them was first at the store.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Period: TypeAlias = tuple[int, int | None]
"""From this Unix nanosecond on, up to that one, which is no part of it; None has no end."""


class Replaces(NamedTuple):
    """The edge from a statement to one that it replaced."""

    rid: str
    """The statement that was replaced; nobody need know it any more."""
    at_ns: int
    """When that was said."""
    from_ns: int
    """Since when the new statement holds."""


class Stated(NamedTuple):
    """When a statement was said, and what it replaced.

    `starts` are pairs of since when it holds and when that was said, in Unix nanoseconds. One that
    was forgotten has none; what it replaced stays replaced.
    """

    rid: str
    starts: tuple[tuple[int, int], ...]
    replaces: tuple[Replaces, ...]


class _Said(NamedTuple):
    """One word on a member. Words sort by time; at one time an edge is later than a statement."""

    at_ns: int
    is_edge: bool
    rid: str
    from_ns: int


@dataclass(frozen=True, slots=True)
class _Lineage:
    """What became of the members of one lineage; `rids` by when they were said first."""

    rids: Sequence[str]
    periods: Mapping[str, Sequence[Period]]
    current: str | None


class Lineages:
    """The lineages among statements, in time that grows as edges do, times its logarithm."""

    def __init__(self, stated: Iterable[Stated]) -> None:
        """Read statements in any order; those that no edge touches may be left out."""
        self._stated = {one.rid: one for one in stated}
        joins = _joins(self._stated.values())
        self._of: dict[str, _Lineage] = {}
        for rids in _connected(self._stated.values()):
            members = [self._stated[rid] for rid in rids if rid in self._stated]
            self._of |= dict.fromkeys(rids, _lineage(members, joins))

    def lone(self, rid: str) -> bool:
        """Say whether a statement never replaced one, nor was replaced."""
        return rid not in self._of

    def members(self, rid: str) -> list[str]:
        """Return the statements of a lineage that are known, as they were said; forgotten ones too.

        A lone one is a lineage.
        """
        return [rid] if self.lone(rid) else list(self._of[rid].rids)

    def periods(self, rid: str) -> tuple[Period, ...]:
        """Return when a statement holds: in order, never empty ones, none that touch each other.

        A forgotten one has those of its edges; one that is not known has none.
        """
        if not self.lone(rid):
            return tuple(self._of[rid].periods.get(rid, ()))
        known = self._stated.get(rid)
        return ((min(known.starts)[0], None),) if known and known.starts else ()

    def is_current(self, rid: str) -> bool:
        """Say whether a statement is the last word of its lineage and not forgotten.

        It may begin to hold only later, see `periods`. A lone one is current.
        """
        return self.current_of(rid) == rid

    def current_of(self, rid: str) -> str | None:
        """Return the current statement of a lineage; a lone one is its own.

        None where the last word is a forgotten statement.
        """
        return rid if self.lone(rid) else self._of[rid].current


def _edges(stated: Iterable[Stated]) -> Iterator[tuple[str, Replaces]]:
    return ((one.rid, edge) for one in stated for edge in one.replaces if edge.rid != one.rid)


def _joins(stated: Iterable[Stated]) -> dict[str, int]:
    """Return when each statement that an edge touches joined its lineage."""
    joins: dict[str, int] = {}
    for new, edge in _edges(stated):
        for rid in (new, edge.rid):
            joins[rid] = min(joins.get(rid, edge.at_ns), edge.at_ns)
    return joins


def _connected(stated: Iterable[Stated]) -> list[list[str]]:
    """Return the groups of statements that edges connect, those nobody knows included."""
    neighbours: defaultdict[str, list[str]] = defaultdict(list)
    for new, edge in _edges(stated):
        neighbours[new].append(edge.rid)
        neighbours[edge.rid].append(new)
    seen: set[str] = set()
    return [_reached(rid, neighbours, seen) for rid in neighbours if rid not in seen]


def _reached(rid: str, neighbours: Mapping[str, Sequence[str]], seen: set[str]) -> list[str]:
    """Return what can be reached from a statement, itself included; all of it is seen then."""
    group = [rid]
    seen.add(rid)
    # The list grows while it is walked.
    for member in group:
        new = [other for other in dict.fromkeys(neighbours[member]) if other not in seen]
        group += new
        seen.update(new)
    return group


def _lineage(members: Sequence[Stated], joins: Mapping[str, int]) -> _Lineage:
    words = sorted(word for one in members for word in _words(one))
    # The last word is later than every edge, so it ends what was said of every other member.
    last = words[-1].rid
    is_forgotten = not any(one.starts for one in members if one.rid == last)
    rids = dict.fromkeys([*(word.rid for word in words), *sorted(one.rid for one in members)])
    return _Lineage(tuple(rids), _periods(words, joins), None if is_forgotten else last)


def _words(one: Stated) -> Iterator[_Said]:
    for from_ns, said_ns in one.starts:
        yield _Said(said_ns, is_edge=False, rid=one.rid, from_ns=from_ns)
    for _, edge in _edges([one]):
        yield _Said(edge.at_ns, is_edge=True, rid=one.rid, from_ns=edge.from_ns)


def _periods(words: Sequence[_Said], joins: Mapping[str, int]) -> dict[str, list[Period]]:
    """Return the periods of each member, of its lineage's words in order.

    A later word on a member itself may end its period like any other: its own period goes on there.
    """
    ends = _ends(words, joins)
    times = [word.at_ns for word in words]
    periods: defaultdict[str, list[Period]] = defaultdict(list)
    for place, word in enumerate(words):
        # What was said of others before this one joined them does not end it.
        end = ends[max(place + 1, bisect_left(times, joins[word.rid]))]
        if end is None or end > word.from_ns:
            periods[word.rid].append((word.from_ns, end))
    return {rid: _merged(found) for rid, found in periods.items()}


def _ends(words: Sequence[_Said], joins: Mapping[str, int]) -> list[int | None]:
    """Return for each place in the words, and the one after them, what begins first from there."""
    ends: list[int | None] = [None]
    for word in reversed(words):
        end = ends[-1]
        if word.at_ns >= joins[word.rid] and (end is None or word.from_ns < end):
            end = word.from_ns
        ends.append(end)
    return ends[::-1]


def _merged(periods: Iterable[Period]) -> list[Period]:
    """Return the same time in as few periods as there can be, in order."""
    merged: list[Period] = []
    for begin, end in sorted(periods, key=lambda period: period[0]):
        last, until = merged[-1] if merged else (0, begin - 1)
        if until is not None and until < begin:
            merged.append((begin, end))
        elif until is not None and (end is None or end > until):
            merged[-1] = (last, end)
    return merged
