"""Segments that no head names go after a day; all others stay, whatever the head is."""

from dataclasses import replace

import pytest

from everturn.conversations.model.segment_refs import SegmentRef, segment_name
from everturn.conversations.model.write_ring import ring_of
from everturn.storage.swap import Patience
from everturn.upkeep.sweep_segments import sweep_segments
from everturn.values.keys import head_key
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.sealed_world import (
    at_segments_end,
    fill,
    orphans,
    put_segment,
    remove_segment,
    rewritten_by_go,
    segment,
    segments_there,
    stored_texts,
    taken_in,
)
from scenarios.world import World
from upkeep.sweep_calls import DAY_S, HOUR_S, sweep_call, swept_after

pytestmark = pytest.mark.usefixtures("small")
ORPHAN = segment_name(0, 9, "o" * 16)


def _with_orphan(world: World) -> list[str]:
    """A sealed conversation, and the segment of a lost attempt beside it; what it says."""
    texts = fill(world.process(), 40)
    for name in orphans(world):
        remove_segment(world, name)
    put_segment(world, ORPHAN, b"{}")
    return texts


@pytest.mark.parametrize("days", [0, 3])
def test_what_a_later_segment_took_in_stays_until_that_one_is_a_day_old(
    world: World, days: int
) -> None:
    """However old it is itself: another program may have read the head that named it."""
    texts = fill(world.process(), 20)
    [old] = segments_there(world)
    swept_after(world, days * DAY_S)
    texts += fill(world.process(), 10, start=20)
    assert orphans(world) == taken_in(world) == [old]

    assert swept_after(world, DAY_S - HOUR_S).orphans == 0
    assert orphans(world) == [old]
    assert swept_after(world, 2 * HOUR_S).orphans == 1
    assert orphans(world) == []
    assert stored_texts(world) == texts


def test_one_that_took_others_in_and_was_taken_in_goes_with_them(world: World) -> None:
    fill(world.process(), 50)
    world.clock.sleep(3 * DAY_S)
    fill(world.process(), 30, start=50)
    young = [name for name in taken_in(world) if int(name[:12]) >= 24]
    assert len(orphans(world)) > len(young) > 0
    swept_after(world, HOUR_S)
    assert orphans(world) == young
    swept_after(world, DAY_S)
    assert orphans(world) == []


def test_what_is_taken_in_is_at_most_what_was_sealed_within_a_day(world: World) -> None:
    process, most = world.process(), 0
    for hour in range(200):
        fill(process, 4, start=4 * hour)
        swept_after(world, HOUR_S)
        most = max(most, sum(SegmentRef(name, 0).count for name in orphans(world)))
    assert 12 <= most <= 4 * 26
    assert len(stored_texts(world)) == 800


def test_segments_stay_where_the_head_says_that_they_hold_more(world: World) -> None:
    _with_orphan(world)
    there, stored = segments_there(world), world.stored()
    ring = replace(ring_of(stored.meta), keeps_segments=True)
    world.data.put(head_key(SCOPE, CONVERSATION), stored.body, expect=stored.etag, meta=ring.meta)
    assert swept_after(world, 100 * DAY_S).orphans == 0
    assert segments_there(world) == there
    world.process().delete()
    assert segments_there(world) == []


def test_an_orphan_goes_after_a_day_and_what_the_head_names_stays(world: World) -> None:
    texts = _with_orphan(world)
    assert swept_after(world, DAY_S - HOUR_S).orphans == 0
    assert orphans(world) == [ORPHAN]
    assert swept_after(world, 2 * HOUR_S).orphans == 1
    assert orphans(world) == []
    assert stored_texts(world) == texts


def test_a_busy_conversation_loses_its_orphans_too(world: World) -> None:
    """Its head is never a day old; the segment is."""
    _with_orphan(world)
    gone = 0
    for _ in range(30):
        world.process().append("still here")
        gone += swept_after(world, HOUR_S).orphans
    assert gone == 1


def test_the_old_segment_of_a_redaction_goes_however_old_it_is(world: World) -> None:
    fill(world.process(), 40)
    world.clock.sleep(100 * DAY_S)
    assert sweep_call(world).complete
    faulty = FaultyStore(world.data, lambda v: Fault.UNAVAILABLE if v == "delete_many" else None)
    assert not world.process(faulty).redact(3).complete
    assert len(orphans(world)) == 1
    assert swept_after(world, DAY_S + HOUR_S).orphans == 1
    assert orphans(world) == []
    assert len(stored_texts(world)) == 40


def test_the_segment_that_a_pop_took_back_goes_however_old_it_is(world: World) -> None:
    fill(world.process(), 40)
    count = at_segments_end(world)
    world.clock.sleep(100 * DAY_S)
    assert sweep_call(world).complete
    faulty = FaultyStore(world.data, lambda v: Fault.UNAVAILABLE if v == "delete_many" else None)
    assert not world.process(faulty).pop(expected=count).complete
    assert len(orphans(world)) == 1
    assert swept_after(world, DAY_S + HOUR_S).orphans == 1
    assert len(stored_texts(world)) == count - 1


def test_a_head_that_comes_to_name_it_after_the_listing_keeps_it(world: World) -> None:
    """The head is read after the listing: what was listed and is not named then never will be."""
    texts = fill(world.process(), 10)
    process = world.process()

    def seal() -> None:
        texts.extend(fill(process, 30, start=10))

    world.clock.sleep(2 * DAY_S)
    store = InterleavedStore(world.data, before={("list", 2): seal})
    assert sweep_call(world, data=store).swept.orphans == 0
    assert stored_texts(world) == texts


@pytest.mark.parametrize("body", [b"{", b""])
def test_segments_of_a_head_that_cannot_be_read_stay(world: World, body: bytes) -> None:
    _with_orphan(world)
    before = segments_there(world)
    world.place(body)
    assert swept_after(world, 100 * DAY_S).orphans == 0
    assert segments_there(world) == before


def test_segments_of_a_head_that_another_program_rewrote_stay(world: World) -> None:
    texts = fill(world.process(), 40)
    first = segments_there(world)[0]
    put_segment(world, first[:-16] + "o" * 16, segment(world, first).body)
    before = segments_there(world)
    rewritten_by_go(world, "from go")
    assert swept_after(world, 100 * DAY_S).orphans == 0
    assert segments_there(world) == before
    found = world.process().read().turns
    assert [turn.text for turn in found] == [*texts, "from go"]


def test_segments_without_a_head_go(world: World) -> None:
    _with_orphan(world)
    count = len(segments_there(world))
    world.remove()
    assert swept_after(world, DAY_S).orphans == count
    assert segments_there(world) == []


def test_a_segment_that_was_written_behind_a_tombstone_goes(world: World) -> None:
    fill(world.process(), 40)
    world.process().delete()
    put_segment(world, ORPHAN, b"secret")
    swept_after(world, DAY_S)
    assert segments_there(world) == []


def test_what_is_no_segment_stays(world: World) -> None:
    _with_orphan(world)
    put_segment(world, "notes", b"{}")
    swept_after(world, 2 * DAY_S)
    assert orphans(world) == ["notes"]


def test_an_orphan_that_could_not_be_removed_is_due_again(world: World) -> None:
    _with_orphan(world)
    world.clock.sleep(2 * DAY_S)
    faulty = FaultyStore(world.data, lambda v: Fault.UNAVAILABLE if v == "delete_many" else None)
    outcome = sweep_call(world, data=faulty)
    assert (outcome.swept.failed, orphans(world)) == (2, [ORPHAN])
    assert swept_after(world, HOUR_S).orphans == 1


def test_a_folder_that_could_not_be_listed_is_due_again(world: World) -> None:
    put_segment(world, ORPHAN, b"{}")
    world.clock.sleep(2 * DAY_S)
    faulty = FaultyStore(world.data, scripted({("list", 3): Fault.UNAVAILABLE}))
    assert sweep_call(world, data=faulty).swept.failed == 1
    assert swept_after(world, HOUR_S).orphans == 1


def test_a_folder_is_looked_at_once_though_it_spans_pages() -> None:
    world = World(page_keys=3)
    for number in range(10):
        put_segment(world, segment_name(number, number, "o" * 16), b"{}")
    world.clock.sleep(2 * DAY_S)
    store = InterleavedStore(world.data)
    assert sweep_call(world, data=store).swept.orphans == 10
    assert store.verbs.count("get") == 1


@pytest.mark.parametrize(("grace_s", "gone"), [(HOUR_S, 1), (2 * HOUR_S, 0)])
def test_the_grace_is_by_the_times_of_the_store(world: World, grace_s: float, gone: int) -> None:
    _with_orphan(world)
    now_ns = world.clock.now_ns() + round(HOUR_S * 1e9)
    removed = sweep_segments(
        store=world.data,
        patience=Patience(clock=world.clock, entropy=world.entropy),
        scope=SCOPE,
        conversation_id=CONVERSATION,
        now_ns=now_ns,
        grace_ns=round(grace_s * 1e9),
    )
    assert removed == gone


def test_young_segments_are_one_listing(world: World) -> None:
    _with_orphan(world)
    store = InterleavedStore(world.data)
    sweep_segments(
        store=store,
        patience=Patience(clock=world.clock, entropy=world.entropy),
        scope=SCOPE,
        conversation_id=CONVERSATION,
        now_ns=world.clock.now_ns(),
    )
    assert store.verbs == ["list"]
