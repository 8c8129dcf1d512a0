"""What a pass found behind is offered by every later one until it is not, whatever else happens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.stranded import Yard, fail, keys_below, mark, yard
from emulation.counting_store import CountingStore
from everturn.errors import UnavailableError
from everturn.ports.object_store import StoredObject
from everturn.upkeep.sweep_pass import MAX_REMEMBERED, parse_sweep_pass
from everturn.values.keys import SWEEP_KEY
from fakes.wrapped_store import RefusingStore
from upkeep.sweep_calls import DAY_S, HOUR_S

CROWD = MAX_REMEMBERED + 30


@pytest.fixture
def found() -> Yard:
    """Of three conversations one was half read by its job, which ended then: it was offered."""
    made = yard()
    for name in ("all", "half", "none"):
        made.world.process().append("x", "y", to=name)
    made.world.clock.sleep(10)
    mark(made.world, "all", 2)
    mark(made.world, "half", 1)
    made.world.clock.sleep(HOUR_S)
    made.sweep()
    assert made.waiting() == ["half", "none"]
    return made


def opened(made: Yard) -> list[str]:
    """Return whose heads and watermarks a pass of now reads; no head is of an age now."""
    data = CountingStore(made.world.data)
    made.sweep(data=data)
    return sorted(key for verb, key in data.calls if verb == "get")


def test_what_was_found_behind_is_offered_until_it_is_not(found: Yard) -> None:
    """Though its watermark is newer than its head, and no listing tells that it is behind."""
    for _ in range(30):
        found.world.clock.sleep(HOUR_S)
        found.sweep()
        assert found.waiting() == ["half", "none"]
    for name in ("half", "none"):
        mark(found.world, name, 2)
    found.world.clock.sleep(2 * HOUR_S)
    found.sweep()
    assert found.waiting() == []
    found.world.clock.sleep(DAY_S)
    assert opened(found) == []


def test_of_what_was_found_behind_a_pass_reads_the_head_and_the_watermark(found: Yard) -> None:
    found.world.clock.sleep(HOUR_S)
    assert opened(found) == [
        "c/acme/ann/half.json", "c/acme/ann/none.json", "w/acme/ann/half.json"
    ]  # fmt: skip


def test_one_whose_jobs_fail_is_left_to_them_for_an_hour_and_offered_again(found: Yard) -> None:
    """Each failure is noted in its watermark: it is younger than before, and not forgotten."""
    for _ in range(30):
        for name in ("half", "none"):
            fail(found.world, name)
        found.world.clock.sleep(HOUR_S / 2)
        found.sweep()
        assert found.waiting() == []
        found.world.clock.sleep(HOUR_S / 2)
        found.sweep()
        assert found.waiting() == ["half", "none"]


def test_a_pass_that_fails_forgets_nobody(found: Yard) -> None:
    for number in range(CROWD):
        found.world.process().append("x", to=f"other{number}")
        mark(found.world, f"other{number}", 1)
    found.world.clock.sleep(HOUR_S)
    away = RefusingStore(found.world.data, "get", "c/", UnavailableError("no answer"))
    assert not found.sweep(data=away).complete
    assert found.sweep().complete
    assert found.waiting() == ["half", "none"]


@pytest.mark.parametrize("page_keys", [2, 1_000])
def test_one_that_is_gone_is_forgotten(page_keys: int) -> None:
    made = yard(page_keys=page_keys)
    for name in "abcd":
        made.world.process().append("x", "y", to=name)
    for name in "bd":
        mark(made.world, name, 1)
    made.world.clock.sleep(HOUR_S)
    made.sweep()
    for name in "abd":
        made.world.remove(name)
    made.world.process().delete("c")
    made.jobs()
    made.sweep()
    made.world.clock.sleep(HOUR_S)
    made.sweep()
    assert (made.waiting(), opened(made)) == ([], [])
    kept = made.world.derived.get(SWEEP_KEY)
    assert isinstance(kept, StoredObject)
    assert parse_sweep_pass(kept.body).behind == ()
    made.world.clock.sleep(DAY_S)
    made.sweep()
    assert keys_below(made.world.data, "w/") == []


def test_one_that_was_too_young_is_found_by_the_next_pass() -> None:
    """Its watermark moved last, so that no later time alone tells that it is behind."""
    made = yard()
    made.world.process().append("x", "y", to="c")
    made.world.clock.sleep(60)
    mark(made.world, "c", 1)
    made.sweep()
    assert made.waiting() == []
    made.world.clock.sleep(DAY_S)
    made.sweep()
    assert made.waiting() == ["c"]


@pytest.fixture
def crowded() -> Yard:
    """More were read in part by jobs that ended then than a pass remembers."""
    made = yard(max_depth=10 * CROWD)
    for number in range(CROWD):
        made.world.process().append("x", "y", to=f"c{number:03}")
        made.world.clock.sleep(1)
        mark(made.world, f"c{number:03}", 1)
    made.world.clock.sleep(HOUR_S)
    assert made.sweep().complete
    assert len(made.waiting()) == CROWD
    return made


def test_where_too_many_are_behind_each_is_offered_once_a_day(crowded: Yard) -> None:
    everybody = {f"c{number:03}" for number in range(CROWD)}
    for _ in range(3):
        offered: list[str] = []
        for _ in range(24):
            crowded.world.clock.sleep(HOUR_S)
            assert crowded.sweep().complete
            offered += crowded.waiting()
        assert {*offered} == everybody
        assert len(offered) == 24 * MAX_REMEMBERED + CROWD - MAX_REMEMBERED


def test_a_day_after_they_are_few_again_a_pass_opens_those_alone(crowded: Yard) -> None:
    for number in range(CROWD - 10):
        mark(crowded.world, f"c{number:03}", 2)
    few = [f"c{number:03}" for number in range(CROWD - 10, CROWD)]
    for _ in range(26):
        crowded.world.clock.sleep(HOUR_S)
        crowded.jobs()
        crowded.sweep()
    assert crowded.waiting() == few
    crowded.world.clock.sleep(HOUR_S)
    assert opened(crowded) == [f"{kind}/acme/ann/{name}.json" for kind in "cw" for name in few]


STEPS = st.tuples(
    st.sampled_from("ab"), st.sampled_from(["say", "read", "sweep"]), st.integers(0, 3)
)


@given(st.lists(STEPS, max_size=25))
def test_whatever_happened_each_pass_offers_what_is_behind_and_at_rest(
    steps: list[tuple[str, str, int]],
) -> None:
    made = yard()
    said, read, written_s = dict.fromkeys("ab", 0), dict.fromkeys("ab", 0), dict.fromkeys("ab", 0.0)
    for name, step, half_hours in [*steps, ("", "sweep", 2), ("", "sweep", 0)]:
        made.world.clock.sleep(half_hours * HOUR_S / 2)
        now_s = made.world.clock.monotonic_s()
        if step == "sweep":
            made.sweep()
            waiting = made.waiting()
            at_rest = {name for name in "ab" if written_s[name] + HOUR_S <= now_s}
            behind = {name for name in "ab" if read[name] < said[name]}
            assert waiting == sorted(at_rest & behind)
            continue
        if step == "say":
            made.world.process().append("x", to=name)
            said[name] += 1
        elif read[name] < said[name]:
            read[name] += 1
            mark(made.world, name, read[name])
        else:
            continue
        written_s[name] = now_s
