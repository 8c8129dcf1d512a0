"""Conversations whose newest turns nobody consolidates are found, by times of a listing alone."""

import pytest

from consolidation.stranded import Yard, keys_below, mark, yard
from emulation.counting_store import CountingStore
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.job import Job, parse_job
from everturn.values.keys import Scope, watermark_key
from scenarios.process import SCOPE
from upkeep.sweep_calls import DAY_S, HOUR_S

HASHED = Scope("tenänt", "user/ann")
# Of names that begin alike, and one that is a hash in its key.
NAMES = ("a", "a-b", "a.b", "a.z", "a0", "b", "ü/x", "c")


@pytest.fixture
def talking() -> Yard:
    """Three conversations of two turns: one is consolidated, one half, one not at all."""
    made = yard()
    for name in ("all", "half", "none"):
        made.world.process().append("x", "y", to=name)
    made.world.clock.sleep(10)
    mark(made.world, "all", 2)
    mark(made.world, "half", 1)
    made.world.clock.sleep(HOUR_S)
    return made


def test_what_is_behind_is_offered_and_nothing_else(talking: Yard) -> None:
    outcome = talking.sweep()
    assert (outcome.complete, outcome.swept) == (True, Swept(heads_read=6, offered_tails=2))
    assert talking.waiting() == ["half", "none"]


def test_of_a_quiet_store_two_more_listings_are_all(talking: Yard) -> None:
    for name in ("half", "none"):
        mark(talking.world, name, 2)
    talking.world.clock.sleep(2 * DAY_S)
    talking.sweep()
    talking.world.clock.sleep(HOUR_S)
    data, derived = CountingStore(talking.world.data), CountingStore(talking.world.derived)
    assert talking.sweep(data=data, derived=derived).swept == Swept()
    assert data.calls == [("list", f"{kind}/") for kind in "cscwx"]
    assert derived.verbs() == ["get", "overwrite", "list", "list", "overwrite"]
    assert talking.queue.asked == 0


@pytest.mark.parametrize(("seconds", "offered"), [(HOUR_S - 1, []), (HOUR_S, ["c"])])
@pytest.mark.parametrize("marked", [False, True])
def test_for_an_hour_after_a_write_its_own_job_is_on_its_way(
    seconds: float, offered: list[str], *, marked: bool
) -> None:
    made = yard()
    made.world.process().append("x", "y", to="c")
    if marked:
        made.world.clock.sleep(10 * HOUR_S)
        mark(made.world, "c", 1)
    made.world.clock.sleep(seconds)
    made.sweep()
    assert made.waiting() == offered


def test_tombstones_and_empty_conversations_are_not_offered(talking: Yard) -> None:
    talking.world.process().delete("none")
    talking.world.process().create("empty")
    talking.world.clock.sleep(2 * HOUR_S)
    talking.sweep()
    assert talking.waiting() == ["half"]


def test_heads_that_nobody_can_read_are_left_and_no_failure(talking: Yard) -> None:
    talking.world.place(b"{", "none")
    talking.world.data.overwrite(watermark_key(SCOPE, "half"), b"{")
    talking.world.clock.sleep(2 * HOUR_S)
    assert talking.sweep().complete
    assert talking.waiting() == ["half"]


def test_a_sealed_conversation_is_behind_by_all_its_turns(small: None) -> None:
    del small
    made = yard()
    for number in range(40):
        made.world.process().append(f"a rather long turn, number {number}", to="long")
    made.world.clock.sleep(1)
    mark(made.world, "long", 39)
    made.world.clock.sleep(HOUR_S)
    made.sweep()
    assert made.waiting() == ["long"]
    mark(made.world, "long", 40)
    made.world.clock.sleep(HOUR_S)
    made.sweep()
    assert made.waiting() == []


def test_a_job_of_a_user_whose_id_is_hashed_leads_to_the_same_files() -> None:
    """A listing knows no more than the hash; a job can carry it, and says the conversation's id."""
    made = yard()
    made.world.process(scope=HASHED).append("x", to="ü/x")
    made.world.clock.sleep(HOUR_S)
    made.sweep()
    [listed] = made.queue.listed
    assert listed.job.conversation_id == "ü/x"
    assert listed.job.digest == Job(HASHED, "ü/x").digest
    sent = parse_job(listed.job.encode())
    assert watermark_key(sent.scope, sent.conversation_id) == watermark_key(HASHED, "ü/x")


@pytest.mark.parametrize("page_keys", [2, 3, 5, 1_000])
def test_pages_of_both_listings_meet_whatever_their_keys(page_keys: int) -> None:
    made = yard(page_keys=page_keys)
    for scope in (SCOPE, HASHED, Scope("acme", "ann-b")):
        for number, name in enumerate(NAMES):
            if number % 3:
                made.world.process(scope=scope).append("x", to=name)
            if number % 2:
                mark(made.world, name, number // 4, scope)
    made.world.clock.sleep(HOUR_S)
    reads, calls = None if page_keys > 5 else 1, 1
    while not made.sweep(reads=reads).complete:
        calls += 1
        assert calls < 200
    behind = [name for n, name in enumerate(NAMES) if n % 3 and not (n % 2 and n // 4)]
    assert len(behind) == 3
    assert sorted(made.waiting()) == sorted(behind * 3)


def test_a_watermark_without_a_conversation_goes_after_a_day(talking: Yard) -> None:
    world = talking.world
    world.remove("all")
    world.clock.sleep(DAY_S - HOUR_S - 1)
    assert talking.sweep().swept.watermarks == 0
    world.clock.sleep(1)
    assert talking.sweep().swept.watermarks == 1
    assert keys_below(world.data, "w/") == ["w/acme/ann/half.json"]


def test_a_watermark_beside_a_tombstone_is_left_to_its_deletion(talking: Yard) -> None:
    world = talking.world
    world.process().delete("all")
    mark(world, "all", 2)
    world.clock.sleep(DAY_S - 60)
    assert talking.sweep().swept.watermarks == 0
    assert world.data.get(watermark_key(SCOPE, "all")) is not None
    world.clock.sleep(60)
    talking.sweep()
    assert world.data.get(watermark_key(SCOPE, "all")) is None


def test_without_a_queue_watermarks_go_all_the_same_and_no_head_is_opened(talking: Yard) -> None:
    world = talking.world
    world.remove("all")
    world.clock.sleep(5 * DAY_S)
    world.process().sweep()
    data = CountingStore(world.data)
    world.process(data).sweep()
    assert set(data.verbs()) == {"list"}
    assert keys_below(world.data, "w/") == ["w/acme/ann/half.json"]


def test_strange_files_among_watermarks_are_left(talking: Yard) -> None:
    strange = ["w/acme/ann/deep/x.json", "w/x.json"]
    for key in strange:
        talking.world.data.overwrite(key, b"{}")
    talking.world.clock.sleep(2 * DAY_S)
    assert talking.sweep().complete
    assert {*strange} <= {*keys_below(talking.world.data, "w/")}
