"""What a delete removes beside the head, and what its receipt says of that."""

from collections.abc import Callable, Sequence
from typing import Literal

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.deletion.delete_conversation import Receipt, finish_deletion
from everturn.errors import NotFoundError, UnavailableError
from everturn.ports.object_store import Etag, ObjectStore, Sentinel
from everturn.storage.swap import Patience
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION
from scenarios.sealed_world import everything, fill, said, sealed_of, segments_there
from scenarios.world import World
from upkeep.traces import put_traces, traces

COUNT = 60
NEIGHBOURS = (f"{CONVERSATION}0", f"{CONVERSATION}.json", "thread", f"{CONVERSATION}-a")

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture
def full(world: World) -> World:
    """Return a world with a sealed conversation, all that lies beside it, and its neighbours."""
    fill(world.process(), COUNT)
    put_traces(world)
    for name in NEIGHBOURS:
        world.process().append("neighbour", to=name)
        put_traces(world, name)
    world.process().list_page()
    return world


def wanted(world: World) -> dict[str, int]:
    """Return what the receipt has to say."""
    segments = len(segments_there(world))
    return {
        "turns": COUNT, "segments": segments, "staged": 2, "quarantined": 2, "watermarks": 1,
        "vectors": 2, "memories": 0, "memory_sources": 0,
    }  # fmt: skip


def finish(world: World, store: ObjectStore | None = None) -> Receipt:
    return finish_deletion(
        store=store or world.data,
        derived=world.derived,
        clock=world.clock,
        entropy=world.entropy,
        patience=Patience(clock=world.clock, entropy=world.entropy),
        scope=world.scope,
        conversation_id=CONVERSATION,
    )


class Unerasing(MemoryStore):
    """A store whose deletes leave some keys, as long as it is told to."""

    leave: Callable[[Sequence[str]], Sequence[str]] = staticmethod(lambda _: ())

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove all but those."""
        left = tuple(self.leave(keys))
        super().delete_many([key for key in keys if key not in left])
        return left

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        """Remove one unless it is one of those."""
        if self.leave([key]):
            raise UnavailableError("a fault of the test")
        super().delete(key, expect=expect)


def test_a_receipt_counts_what_was_really_stored(full: World) -> None:
    counts = wanted(full)
    receipt = full.process().delete()
    assert dict(receipt.deleted) == counts
    assert (receipt.complete, receipt.remaining, receipt.turns) == (True, 0, COUNT)
    assert traces(full) == []
    assert said(0).encode() not in everything(full)
    assert full.record().head.is_done


def test_conversations_with_a_like_name_keep_everything(full: World) -> None:
    before = {name: traces(full, name) for name in NEIGHBOURS}
    full.process().delete()
    assert {name: traces(full, name) for name in NEIGHBOURS} == before
    assert all(len(keys) == 7 for keys in before.values())
    assert len(full.process().walk(limit=50)) == len(NEIGHBOURS)


def test_segments_that_no_head_names_go_too(full: World) -> None:
    def crash() -> None:
        raise KeyboardInterrupt

    fill(full.process(), 12, start=COUNT)
    before = traces(full)
    store = InterleavedStore(full.data, before={("put", 2): crash})
    with pytest.raises(KeyboardInterrupt):
        full.process(store).append(*(said(number) for number in range(40)))
    assert len(traces(full)) > len(before)

    full.process().delete()

    assert traces(full) == []


def test_a_row_of_the_list_cache_goes_at_once(full: World) -> None:
    """It holds a title and a preview."""
    full.process().delete()
    assert said(0).encode() not in everything(full)
    assert said(COUNT - 1).encode() not in everything(full)


@pytest.mark.parametrize("keep", ["all", "one"])
def test_what_a_store_does_not_delete_is_counted_as_remaining(keep: str) -> None:
    world = World()
    store = Unerasing(world.clock)
    world.data = store
    fill(world.process(), COUNT)
    put_traces(world)
    counts, all_of_it = wanted(world), traces(world)
    store.leave = lambda keys: keys if keep == "all" else [key for key in keys if key[0] == "w"]

    receipt = world.process().delete()

    assert not receipt.complete
    assert receipt.remaining >= len(traces(world)) > 0
    assert len(traces(world)) < len(all_of_it) or keep == "all"
    assert not world.record().head.is_done
    with pytest.raises(UnavailableError):
        world.process().create()
    with pytest.raises(NotFoundError):
        world.process().read()

    store.leave = lambda _: ()
    again = world.process().delete()

    assert again.complete
    assert again.turns == COUNT
    assert traces(world) == []
    assert keep == "one" or dict(again.deleted) == counts
    assert world.process().create().created


def test_vectors_that_cannot_be_removed_leave_it_undone(full: World) -> None:
    process = full.process()
    process.derived = FaultyStore(full.derived, lambda _: Fault.UNAVAILABLE)

    receipt = process.delete()

    assert (receipt.complete, full.record().head.is_done) == (False, False)
    assert full.process().delete().complete
    assert traces(full) == []


def test_a_list_cache_that_cannot_be_cleared_leaves_it_undone(full: World) -> None:
    """Else a second delete would find nothing to do, and the title would stay there."""
    process = full.process()
    process.derived = FaultyStore(
        full.derived, lambda verb: None if verb in {"list", "delete_many"} else Fault.UNAVAILABLE
    )

    receipt = process.delete()

    assert (receipt.complete, receipt.remaining) == (False, 0)
    assert full.process().delete().complete
    assert said(0).encode() not in everything(full)


@pytest.mark.parametrize("place", [("delete_many", 1), ("put", 2), ("get", 2), ("list", 3)])
@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("delay", [1, 3])
def test_faults_on_the_way_end_in_a_complete_receipt(
    full: World, place: tuple[str, int], fault: Fault, delay: int
) -> None:
    counts = wanted(full)
    script: Script = {place: fault}  # type: ignore[dict-item]  # verbs
    store = FaultyStore(full.data, scripted(script), delay=delay)

    receipt = full.process(store).delete()
    store.land_all()

    assert receipt.complete
    assert dict(receipt.deleted) == counts
    assert traces(full) == []
    assert full.record().head.is_done


def test_a_worker_that_wrote_after_the_delete_takes_it_away_itself(full: World) -> None:
    """Also where the deletion is done already."""
    full.process().delete()
    tombstone = full.stored()
    put_traces(full)

    receipt = finish(full)

    assert (receipt.deleted["staged"], receipt.complete) == (2, True)
    assert traces(full) == []
    assert full.stored() == tombstone


def test_nothing_of_a_conversation_that_lives_is_touched(full: World) -> None:
    before = traces(full)
    assert dict(finish(full).deleted)["segments"] == 0
    assert traces(full) == before


def test_a_second_life_that_begins_while_it_is_looked_at_keeps_what_it_has(full: World) -> None:
    """The tombstone is looked at again between the listing and the removal."""
    full.process().delete()

    def second_life() -> None:
        full.process().create()
        fill(full.process(), COUNT)
        put_traces(full)

    store = InterleavedStore(full.data, before={("list", 1): second_life})
    finish(full, store)

    kept = segments_there(full)
    assert sealed_of(full).names <= set(kept)
    assert len(traces(full)) == 7 + len(kept)


def test_nothing_of_the_first_life_is_read_in_the_second(full: World) -> None:
    full.process().delete()
    full.process().create()
    assert full.process().page(0).turns == ()
    fill(full.process(), COUNT, start=COUNT)
    texts = [turn.text for turn in full.process().page(0, limit=1_000).turns]
    assert texts == [said(number) for number in range(COUNT, 2 * COUNT)]
    assert [row.title for row in full.process().walk(limit=9) if row.turn_count > 1] == [
        said(COUNT)
    ]
