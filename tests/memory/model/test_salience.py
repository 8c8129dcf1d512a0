"""The weight of a memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.memory.model.salience import HALF_LIFE_NS, PINNED_FLOOR, log_salience, salience
from strategies.json_values import times_ns

NOW_NS = 1_790_000_000_000_000_000
importances = st.integers(0, 10)
counts = st.integers(1, 10_000)


def _weight(importance: int, count: int, age_ns: int = 0, *, pinned: bool = False) -> float:
    log = log_salience(importance=importance, count=count, last_seen_ns=NOW_NS - age_ns)
    return salience(log, now_ns=NOW_NS, pinned=pinned)


def test_what_matters_most_and_was_said_just_now_weighs_one() -> None:
    assert _weight(10, 1) == pytest.approx(1.0)


def test_what_matters_least_weighs_little_but_something() -> None:
    assert _weight(0, 1) == pytest.approx(1 / 11)


@given(importances, counts)
def test_ninety_days_halve_a_weight(importance: int, count: int) -> None:
    young, old = (
        _weight(importance, count, HALF_LIFE_NS),
        _weight(importance, count, 2 * HALF_LIFE_NS),
    )

    assert HALF_LIFE_NS == 90 * 86_400 * 10**9
    assert old == pytest.approx(young / 2)


@given(importances, counts, times_ns)
def test_a_weight_is_between_nought_and_one_whatever_the_clocks_say(
    importance: int, count: int, seen_ns: int
) -> None:
    log = log_salience(importance=importance, count=count, last_seen_ns=seen_ns)

    assert 0 <= salience(log, now_ns=NOW_NS, pinned=False) <= 1


@given(counts)
def test_saying_it_again_adds_and_never_more_than_one_half_life(count: int) -> None:
    def log(count: int) -> float:
        return log_salience(importance=5, count=count, last_seen_ns=NOW_NS)

    assert log(count) < log(count + 1) < log(1) + 1


@given(st.tuples(importances, counts, times_ns), st.tuples(importances, counts, times_ns), times_ns)
def test_time_changes_no_order(
    one: tuple[int, int, int], other: tuple[int, int, int], now_ns: int
) -> None:
    """What is stored may be compared as it is, at any time."""
    logs = [
        log_salience(importance=importance, count=count, last_seen_ns=seen_ns)
        for importance, count, seen_ns in (one, other)
    ]
    low, high = (salience(log, now_ns=now_ns, pinned=False) for log in sorted(logs))

    assert low <= high


@given(importances, counts, st.integers(0, 100 * HALF_LIFE_NS))
def test_a_pinned_memory_has_a_floor_and_no_ceiling(
    importance: int, count: int, age_ns: int
) -> None:
    loose = _weight(importance, count, age_ns)

    assert _weight(importance, count, age_ns, pinned=True) == max(loose, PINNED_FLOOR)


def test_importance_outweighs_some_age() -> None:
    assert _weight(10, 1, HALF_LIFE_NS) > _weight(4, 1) > _weight(10, 1, 2 * HALF_LIFE_NS)
