"""What a deletion removes as it was listed: the next life of the id uses the same names."""

import pytest

from everturn.deletion.delete_conversation import Receipt, finish_deletion
from everturn.ports.object_store import ABSENT, StoredObject
from everturn.storage.swap import Patience
from everturn.values.keys import quarantine_key, staged_key, watermark_key
from fakes.interleaved_store import InterleavedStore
from fakes.nth_request import NthRequest
from scenarios.process import CONVERSATION
from scenarios.world import World
from upkeep.traces import put_traces, traces


@pytest.fixture
def full(world: World) -> World:
    """Return a world with a conversation and all that lies beside it but segments."""
    world.process().append("a")
    put_traces(world)
    return world


def finish(world: World) -> Receipt:
    return finish_deletion(
        store=world.data,
        derived=world.derived,
        clock=world.clock,
        entropy=world.entropy,
        patience=Patience(clock=world.clock, entropy=world.entropy),
        scope=world.scope,
        conversation_id=CONVERSATION,
    )


def consolidated(world: World, word: str) -> list[str]:
    """Write what consolidation does beside a head; return the keys."""
    scope, body = world.scope, word.encode()
    keys = [
        watermark_key(scope, CONVERSATION),
        staged_key(scope, CONVERSATION, 0),
        quarantine_key(scope, CONVERSATION, 0),
    ]
    for key in keys:
        world.data.put(key, body, expect=ABSENT)
    return keys


@pytest.mark.parametrize("nth", range(1, 12))
def test_a_second_life_keeps_its_watermark_while_a_deletion_of_the_first_still_runs(
    world: World, nth: int
) -> None:
    """Another call ends the deletion; the id lives again and is consolidated under old names."""
    world.process().append("first")
    consolidated(world, "first")
    read, tombstone = 1, 1

    def second_life() -> None:
        assert finish(world).complete or world.record().head.deleted is None
        if world.record().head.deleted is not None:
            world.process().create()
            world.process().append("second")
            consolidated(world, "second")

    store = NthRequest(world.data, nth + read + tombstone, second_life)
    assert world.process(store).delete().complete

    if store.count >= nth + read + tombstone:
        kept = [world.data.get(key) for key in traces(world)]
        assert [one.body for one in kept if isinstance(one, StoredObject)] == [b"second"] * 3
    assert (world.record().head.deleted is None) == (store.count >= nth + read + tombstone)


def test_what_a_late_worker_writes_while_it_is_removed_goes_too(full: World) -> None:
    """The tombstone still stands there: it is listed again."""
    key = watermark_key(full.scope, CONVERSATION)
    store = InterleavedStore(
        full.data, before={("delete", 3): lambda: full.data.overwrite(key, b"late")}
    )
    receipt = full.process(store).delete()
    assert (receipt.complete, receipt.deleted["watermarks"]) == (True, 1)
    assert traces(full) == []


def test_a_delete_lists_four_places_and_removes_what_is_used_again_one_by_one(
    full: World,
) -> None:
    store = InterleavedStore(full.data)
    full.process(store).delete()
    removed = ["delete"] * 5
    assert store.verbs == ["get", "put", "get", *["list"] * 5, "get", *removed, "put"]


def test_many_that_are_staged_are_removed_at_once(world: World) -> None:
    world.process().append("a")
    put_traces(world, each=40)
    assert world.process().delete().deleted["staged"] == 40
    assert traces(world) == []
