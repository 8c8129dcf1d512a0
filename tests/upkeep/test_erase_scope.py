"""An erasure erases: nothing that was there when it began is left under a complete receipt."""

import pytest

from everturn.deletion.delete_conversation import Receipt
from everturn.errors import ConversationGoneError
from everturn.listing.cache_files import ListCacheFiles
from everturn.listing.model.cache_root import CacheRoot
from everturn.ports.object_store import ABSENT
from everturn.values.keys import Scope, head_key, list_cache_key
from scenarios.process import SCOPE
from scenarios.world import World
from upkeep.erase_calls import (
    OTHER,
    ZEROS,
    assert_tombstones_alone,
    erase,
    everything_of_ann,
)
from upkeep.traces import put_traces


def root(world: World) -> CacheRoot:
    return ListCacheFiles(derived=world.derived, scope=SCOPE).open_root().root


@pytest.mark.usefixtures("small")
def test_all_kinds_go_and_are_counted_and_tombstones_stay(world: World) -> None:
    everything_of_ann(world)
    segments = len(world.data.list("s/").keys)
    receipt = erase(world)
    assert (receipt.complete, receipt.remaining) == (True, 0)
    assert receipt.deleted == {
        **ZEROS,
        "conversations": 3, "turns": 42, "segments": segments, "staged": 2, "quarantined": 2,
        "watermarks": 1, "documents": 3, "memories": 1, "vectors": 2,
        "unreadable": 3,
    }  # fmt: skip
    assert segments > 0
    assert_tombstones_alone(world)
    assert world.derived.list("").keys == (list_cache_key(SCOPE),)
    assert root(world) == CacheRoot(forgets=root(world).forgets)


def test_an_actor_who_has_nothing_has_a_complete_receipt_of_zeros(world: World) -> None:
    assert erase(world) == Receipt(ZEROS)
    everything_of_ann(world)
    erase(world)
    assert erase(world) == Receipt(ZEROS)


def test_nobody_else_loses_anything(world: World) -> None:
    world.process(scope=OTHER).append("hers")
    world.process(scope=Scope("acme", "ann2")).append("too")
    everything_of_ann(world)
    erase(world)
    assert world.process(scope=OTHER).read().record.head.turn_count == 1
    assert world.process(scope=Scope("acme", "ann2")).read().record.head.turn_count == 1


def test_what_was_erased_is_gone_for_appends(world: World) -> None:
    process = world.process()
    process.append("secret")
    erase(world)
    with pytest.raises(ConversationGoneError):
        process.append("late")


def test_segments_that_no_conversation_has_go_too(world: World) -> None:
    world.data.put("s/acme/ann/never/000000000000-000000000001-" + "w" * 16, b"x", expect=ABSENT)
    world.data.put("w/acme/ann/never.json", b"secret", expect=ABSENT)
    receipt = erase(world)
    assert (receipt.deleted["segments"], receipt.deleted["watermarks"]) == (1, 1)
    assert world.data.list("").keys == ()


def test_what_lies_beside_a_conversation_that_is_named_like_a_file_goes_too(world: World) -> None:
    world.process().append("secret", to="a.json")
    put_traces(world, "a.json")
    assert erase(world).complete
    assert world.data.list("").keys == (head_key(SCOPE, "a.json"),)
