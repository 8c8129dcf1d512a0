"""Which heads a pass opens, and how far a sweep is, in values alone."""

import json
from dataclasses import asdict
from random import Random  # noqa: TID251 - hypothesis draws from one of a seed

from hypothesis import given
from hypothesis import strategies as st

from everturn.upkeep.sweep_pass import (
    DAY_NS,
    HOUR_NS,
    MAX_REMEMBERED,
    SMALL_BYTES,
    STAGES,
    TOMBSTONE_NS,
    UNFINISHED_NS,
    SweepPass,
    parse_sweep_pass,
)

TIMES = st.integers(min_value=0, max_value=400 * DAY_NS)
SIZES = st.integers(min_value=0, max_value=2 * SMALL_BYTES)
ASCII = st.text(st.characters(max_codepoint=127))
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
        going = _ended(going)
    ages = [DAY_NS, *([UNFINISHED_NS, TOMBSTONE_NS] if size <= SMALL_BYTES else [])]
    ages += [idle_days * DAY_NS] if idle_days else []
    reached = (min((s for s in starts if s >= modified + age), default=None) for age in ages)
    assert opened == {start for start in reached if start is not None and start > 0}


def _ended(going: SweepPass, *failing: str) -> SweepPass:
    going = going.with_failing(failing)
    while going.stage != "done":
        going = going.next_stage()
    return going


def test_what_failed_is_remembered_and_the_pass_counts() -> None:
    ended = _ended(SweepPass().begun(10 * DAY_NS, 0), "a", "b", "a")
    assert (ended.finished_ns, ended.again) == (10 * DAY_NS, ("a", "b"))
    assert _ended(ended.begun(11 * DAY_NS, 0), "b").again == ("b",)


def test_a_pass_in_which_too_much_failed_leaves_all_of_it_due() -> None:
    keys = [f"k{number}" for number in range(MAX_REMEMBERED + 1)]
    failed = _ended(SweepPass().begun(10 * DAY_NS, 0), *keys)
    assert (failed.stage, failed.finished_ns, failed.again) == ("done", 0, ())
    again = failed.begun(11 * DAY_NS, 0)
    assert not again.failed
    assert again.is_due(9 * DAY_NS, 1)


@given(
    st.lists(st.sets(st.integers(0, 300)), min_size=1, max_size=5),
    st.integers(0, 2 * MAX_REMEMBERED),
)
def test_what_failed_before_is_never_forgotten_however_much_fails(
    later: list[set[int]], first: int
) -> None:
    """Age makes it due no more: a key that failed is due until it did not fail in a pass."""
    owed: set[str] = set()
    going = SweepPass()
    for number, failing in enumerate([set(range(first)), *later], 1):
        keys = sorted(map(str, failing))
        going = _ended(going.begun(number * DAY_NS, 0), *keys)
        counted = going.finished_ns == number * DAY_NS
        owed = set(keys) if counted else owed & set(keys)
        assert set(going.again) == owed
        assert len(going.again) <= MAX_REMEMBERED


@given(st.randoms(use_true_random=True))
def test_what_is_behind_is_looked_at_within_a_day_however_many_are(dice: Random) -> None:
    """All were found by the first pass; a few get up, and passes that fail leave all due."""
    written_ns = {f"b{n}": dice.randrange(5 * DAY_NS, 9 * DAY_NS) for n in range(150)}
    going = SweepPass().begun(10 * DAY_NS, 0)
    going = _ended(going.with_behind(list(written_ns), ()))
    looked_ns = dict.fromkeys(written_ns, going.started_ns)
    behind = set(written_ns)
    for _ in range(60):
        going = going.begun(going.started_ns + dice.randrange(1, 8) * HOUR_NS, 0)
        behind -= {key for key in written_ns if dice.random() < 0.02}
        round_ = {key for key, ns in written_ns.items() if going.came_round(ns)}
        looked = {*going.behind, *(round_ if going.is_crowded else ())}
        going = going.with_behind(sorted(behind & looked), sorted(looked - behind))
        looked_ns.update(dict.fromkeys(looked, going.started_ns))
        assert all(going.started_ns - looked_ns[key] < DAY_NS for key in behind)
        assert len(going.behind) <= MAX_REMEMBERED
        many = [f"k{number}" for number in range(MAX_REMEMBERED + 1)]
        going = _ended(going, *(many if dice.random() < 0.2 else []))
    assert not going.is_crowded
    assert behind <= {*going.behind}


def test_another_idle_setting_makes_all_idle_ones_due() -> None:
    done = _ended(SweepPass().begun(100 * DAY_NS, 90))
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
        st.sampled_from(STAGES),
        st.text(),
        st.lists(ASCII, max_size=3).map(tuple),
        st.lists(ASCII, max_size=3).map(tuple),
        st.lists(ASCII, max_size=3).map(tuple),
        TIMES,
    )
)
def test_what_is_stored_is_read_again(going: SweepPass) -> None:
    read = parse_sweep_pass(going.encode())
    # What no file can hold is no key either.
    assert read == going or any("\ud800" <= char <= "\udfff" for char in going.after)


@given(
    st.sampled_from([[1], [None], "ab", None, 7]), st.sampled_from(["again", "failing", "behind"])
)
def test_keys_that_are_none_are_read_as_nothing_done(keys: object, name: str) -> None:
    stored = {**asdict(SweepPass(finished_ns=1)), "again": [], "failing": [], "behind": []}
    assert parse_sweep_pass(json.dumps(stored).encode()) == SweepPass(finished_ns=1)
    assert parse_sweep_pass(json.dumps({**stored, name: keys}).encode()) == SweepPass()


@given(st.one_of(st.binary(), st.text().map(str.encode)))
def test_anything_else_is_read_as_nothing_done(body: bytes) -> None:
    assert parse_sweep_pass(body) == SweepPass()
