"""Which heads a pass opens, and how far a sweep is, in values alone."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.domain.sweep_pass import (
    DAY_NS,
    SMALL_BYTES,
    TOMBSTONE_NS,
    UNFINISHED_NS,
    SweepPass,
    parse_sweep_pass,
)

TIMES = st.integers(min_value=0, max_value=400 * DAY_NS)
SIZES = st.integers(min_value=0, max_value=2 * SMALL_BYTES)
AGES = (UNFINISHED_NS, DAY_NS, TOMBSTONE_NS)


@given(
    modified=TIMES,
    size=SIZES,
    starts=st.lists(TIMES, min_size=1, max_size=8, unique=True).map(sorted),
    idle_days=st.sampled_from([0, 1, 30]),
)
def test_over_many_passes_a_head_is_due_once_an_age_and_never_missed(
    modified: int, size: int, starts: list[int], idle_days: int
) -> None:
    going, opened = SweepPass(), set()
    for start in starts:
        going = going.begun(start, idle_days)
        if going.is_due(modified, size):
            opened.add(start)
        going = going.next_stage().next_stage()
    ages = [DAY_NS, *([UNFINISHED_NS, TOMBSTONE_NS] if size <= SMALL_BYTES else [])]
    ages += [idle_days * DAY_NS] if idle_days else []
    reached = (min((s for s in starts if s >= modified + age), default=None) for age in ages)
    assert opened == {start for start in reached if start is not None and start > 0}


def test_a_pass_in_which_something_failed_leaves_all_of_it_due() -> None:
    first = SweepPass().begun(10 * DAY_NS, 0)
    failed = SweepPass(started_ns=first.started_ns, stage="segments", failed=True).next_stage()
    assert (failed.stage, failed.finished_ns) == ("done", 0)
    again = failed.begun(11 * DAY_NS, 0)
    assert not again.failed
    assert again.is_due(9 * DAY_NS, 1)


def test_another_idle_setting_makes_all_idle_ones_due() -> None:
    done = SweepPass().begun(100 * DAY_NS, 90).next_stage().next_stage()
    assert not done.begun(101 * DAY_NS, 90).is_due(5 * DAY_NS, SMALL_BYTES + 1)
    assert done.begun(101 * DAY_NS, 30).is_due(5 * DAY_NS, SMALL_BYTES + 1)
    assert not done.begun(101 * DAY_NS, 0).is_due(5 * DAY_NS, SMALL_BYTES + 1)


@given(
    st.builds(
        SweepPass,
        TIMES,
        st.integers(0, 99),
        st.integers(1, 10**18),
        st.integers(0, 99),
        st.sampled_from(["heads", "segments", "done"]),
        st.text(),
        st.booleans(),
    )
)
def test_what_is_stored_is_read_again(going: SweepPass) -> None:
    read = parse_sweep_pass(going.encode())
    # What no file can hold is no key either.
    assert read == going or any("\ud800" <= char <= "\udfff" for char in going.after)


@given(st.one_of(st.binary(), st.text().map(str.encode)))
def test_anything_else_is_read_as_nothing_done(body: bytes) -> None:
    assert parse_sweep_pass(body) == SweepPass()
