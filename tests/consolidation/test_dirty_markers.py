"""What the keys of markers say."""

import pytest

from everturn.consolidation.enqueue_job import age_of_oldest, minute_of, turned
from everturn.values.keys import Scope, dirty_key

NS = 1_000_000_000


def _key(name: str, minute: int) -> str:
    return dirty_key(Scope("acme", "dana"), name, minute=minute)


def test_a_marker_names_its_minute_and_what_is_none_names_none() -> None:
    assert minute_of(_key("c1", 29_000_000)) == 29_000_000
    for foreign in ("dirty/", "dirty/abc/t/a/c", "dirty/123/t/a/c", "i/0000000001/t/a/c"):
        assert minute_of(foreign) == 0


@pytest.mark.parametrize("draw", range(8))
def test_workers_begin_at_different_markers_of_the_oldest_minute_alone(draw: int) -> None:
    keys = [_key("a", 7), _key("b", 7), _key("c", 7), _key("d", 8)]
    begun = turned(keys, draw)
    assert sorted(begun) == keys
    assert begun[0] == keys[draw % 3]


def test_the_age_of_the_oldest_marker_is_that_since_its_minute_began() -> None:
    keys = [_key("a", 100), _key("b", 103)]
    assert age_of_oldest(keys, now_ns=(103 * 60 + 5) * NS) == 185


@pytest.mark.parametrize("keys", [[], ["dirty/foreign"], [_key("ahead", 9_999)]])
def test_without_a_marker_or_with_one_from_a_clock_ahead_nothing_is_old(keys: list[str]) -> None:
    assert age_of_oldest(keys, now_ns=100 * 60 * NS) == 0


def test_what_is_no_marker_of_ours_hides_none() -> None:
    assert age_of_oldest(["dirty/!", _key("a", 100)], now_ns=101 * 60 * NS) == 60
