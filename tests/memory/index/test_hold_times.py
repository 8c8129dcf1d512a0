"""When memories held, as a question for an earlier time or for a window sees it."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.index.columns import held_at, in_window
from everturn.memory.index.row import MemoryRow
from everturn.memory.model.supersession import Lineages, Replaces
from everturn.values.timestamps import TimeWindow
from memory.index.ranked_memories import HOUR_NS, index_of, memory_rows, said
from memory.model.memories import START_NS

NOBODY = Lineages(())
_TIMES = st.integers(-1, 41).map(lambda hours: START_NS + hours * HOUR_NS)
_BOUNDS = st.none() | _TIMES


def _since(row: MemoryRow, otherwise_ns: int) -> int:
    return otherwise_ns if row.valid_from_ns is None else row.valid_from_ns


@given(memory_rows(), _TIMES)
def test_what_nothing_replaced_holds_since_the_time_it_names_else_since_it_was_said(
    rows: list[MemoryRow], time_ns: int
) -> None:
    held = held_at(index_of(rows), NOBODY, time_ns)
    assert held.tolist() == [_since(row, row.first_ns) <= time_ns for row in rows]


@given(memory_rows(), _BOUNDS, _BOUNDS)
def test_a_memory_is_in_a_window_by_the_time_it_names_else_by_when_it_was_said_last(
    rows: list[MemoryRow], since_ns: int | None, until_ns: int | None
) -> None:
    """The window's begin is inside, its end is not."""
    window = TimeWindow(since_ns, until_ns)
    inside = in_window(index_of(rows), window)
    assert inside.tolist() == [window.holds(_since(row, row.last_ns)) for row in rows]


@given(st.integers(0, 6))
def test_of_what_replaced_one_another_one_holds_at_a_time(hour: int) -> None:
    """8080, two hours later 9090, two hours later 8080 again; another one all along."""
    hours = [START_NS + at * HOUR_NS for at in range(7)]
    old, new, other = (said(text, at_ns=START_NS + 1) for text in ("8080", "9090", "tea"))
    old = old._replace(starts=((hours[1], hours[1]), (hours[5], hours[5])))
    edge = Replaces(old.rid, hours[3], hours[3])
    new = new._replace(starts=((hours[3], hours[3]),), replaces=(edge,))
    index = index_of([old, new, other])

    held = held_at(index, Lineages([old.stated, new.stated]), hours[hour])

    is_old, is_new = hour in {1, 2, 5, 6}, hour in {3, 4}
    assert held.tolist() == [is_old, is_new, hour > 0]
