"""The rule of supersession word by word, and histories to try it on."""

from collections.abc import Sequence

from hypothesis import strategies as st

from everturn.memory.model.supersession import Replaces, Stated

RIDS = "abcde"
TIMES = range(10)
instants = st.integers(min(TIMES), max(TIMES))


@st.composite
def stated_ones(draw: st.DrawFn) -> list[Stated]:
    """Draw statements of a few times, so that many are the same; some forgotten, some deleted."""
    found = []
    for rid in draw(st.sets(st.sampled_from(RIDS), min_size=1)):
        starts = draw(st.lists(st.tuples(instants, instants), max_size=3))
        edges = draw(
            st.lists(st.builds(Replaces, st.sampled_from(RIDS), instants, instants), max_size=2)
        )
        in_order = tuple(sorted(starts, key=lambda start: start[1]))
        found.append(Stated(rid, in_order, tuple(edges)))
    return found


class Model:
    """The rule, pair by pair and point by point, in time that nobody should wait for."""

    def __init__(self, stated: Sequence[Stated]) -> None:
        self.edges = [
            (one.rid, edge) for one in stated for edge in one.replaces if edge.rid != one.rid
        ]
        self.starts = {one.rid: one.starts for one in stated}
        self.words = [(said, 0, one.rid, since) for one in stated for since, said in one.starts] + [
            (edge.at_ns, 1, rid, edge.from_ns) for rid, edge in self.edges
        ]

    def join(self, rid: str) -> int:
        return min(edge.at_ns for new, edge in self.edges if rid in (new, edge.rid))

    def lineage(self, rid: str) -> set[str]:
        members = {rid}
        for _ in RIDS:
            for new, edge in self.edges:
                if members & {new, edge.rid}:
                    members |= {new, edge.rid}
        return members

    def ends(self, word: tuple[int, int, str, int], other: tuple[int, int, str, int]) -> bool:
        rid = word[2]
        if other[2] == rid or other[2] not in self.lineage(rid) or not word < other:
            return False
        return other[0] >= max(self.join(rid), self.join(other[2]))

    def holds(self, rid: str, at: int) -> bool:
        own = [word for word in self.words if word[2] == rid and word[3] <= at]
        return any(
            not any(self.ends(word, other) and other[3] <= at for other in self.words)
            for word in own
        )

    def current(self, rid: str) -> str | None:
        if self.lineage(rid) == {rid}:
            return rid
        open_ones = [
            member
            for member in self.lineage(rid)
            for word in self.words
            if word[2] == member and not any(self.ends(word, other) for other in self.words)
        ]
        assert len(set(open_ones)) == 1
        return open_ones[0] if self.starts[open_ones[0]] else None
