"""Which memories stand beside one another: those that one source said in one breath."""

import numpy as np
from hypothesis import given

from everturn.memory.index.columns import MemoryIndex
from everturn.memory.index.row import MemoryRow
from memory.index.ranked_memories import HOUR_NS, index_of, memory_rows, said
from memory.model.memories import START_NS


def _neighbours(index: MemoryIndex, row: int) -> list[int]:
    """Return the memories right before and after one."""
    order = index.said_order
    rows = np.argsort(order.places)
    at = int(order.places[row])
    beside = [at - offset for offset in (1, -1) if order.near(offset)[at]]
    return [int(rows[place]) for place in beside]


def test_what_one_source_said_in_a_row_stands_together() -> None:
    said_at = [(0, "a"), (0, "b"), (1, "a"), (2, "a"), (1, "b")]
    rows = [said(f"port {at}", at_ns=START_NS + hour * HOUR_NS, by=by)
            for at, (hour, by) in enumerate(said_at)]  # fmt: skip
    index = index_of(rows, size=2)

    assert [_neighbours(index, row) for row in range(5)] == [[2], [4], [0, 3], [2], [1]]


def test_a_pause_parts_what_one_source_said() -> None:
    rows = [said(f"port {hour}", at_ns=START_NS + hour * HOUR_NS, by="a") for hour in (0, 4, 9, 10)]

    assert [_neighbours(index_of(rows), row) for row in range(4)] == [[1], [0], [3], [2]]


def test_what_has_no_source_stands_alone() -> None:
    rows = [said(f"port {at}", by="a")._replace(sources=()) for at in range(3)]

    assert [_neighbours(index_of(rows), row) for row in range(3)] == [[], [], []]


@given(memory_rows())
def test_every_memory_has_one_place_and_keeps_its_words(rows: list[MemoryRow]) -> None:
    index = index_of(rows)
    order = index.said_order

    assert sorted(order.places.tolist()) == list(range(len(rows)))
    assert len(order) == len(rows)
    assert np.array_equal(order.term_rows, order.places[index.term_rows])
    assert np.array_equal(order.lengths[order.places], index.lengths)
    assert not order.answers.any()


@given(memory_rows())
def test_beside_is_the_same_from_both_sides(rows: list[MemoryRow]) -> None:
    index = index_of(rows)
    for row in range(len(rows)):
        for other in _neighbours(index, row):
            assert row in _neighbours(index, other)
            assert rows[row].sources[0] == rows[other].sources[0]
