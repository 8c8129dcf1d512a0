import pytest

from everturn.conversations.model.write_ring import hash_of_turns
from everturn.errors import ConversationGoneError, NotFoundError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.world import World


def test_a_tombstone_without_any_text_takes_the_heads_place(world: World) -> None:
    process = world.process()
    process.create(title="secret title", folder="secret folder", metadata={"k": "secret"})
    process.append("secret", "words", key="k")
    before = world.record().head.updated_ns

    receipt = process.delete()

    head = world.record().head
    assert (receipt.turns, receipt.complete) == (2, True)
    assert head.deleted == {"segs": [], "turns": 2, "done": True}
    assert head.updated_ns > before
    assert b"secret" not in world.stored().body
    hashes = [world.ring().text[start + 16 : start + 24] for start in range(0, 90, 30)]
    assert hashes == [hash_of_turns(b""), "A" * 8, "A" * 8]


def test_a_deleted_conversation_cannot_be_read_appended_to_or_deleted_again(world: World) -> None:
    process = world.process()
    process.append("a")
    process.delete()
    tombstone = world.stored()

    with pytest.raises(NotFoundError):
        process.read()
    with pytest.raises(NotFoundError):
        process.delete()
    for append in (process.append, world.process().append):
        with pytest.raises(ConversationGoneError):
            append("b")
        with pytest.raises(ConversationGoneError):
            append(" ")

    assert world.stored() == tombstone


def test_a_process_with_the_head_in_its_cache_finds_it_deleted(world: World) -> None:
    process = world.process()
    process.append("a")
    world.process().delete()

    with pytest.raises(ConversationGoneError):
        process.append("b")


def test_an_unknown_conversation_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.process().delete()


def test_an_empty_conversation_can_be_deleted(world: World) -> None:
    world.process().create()

    assert world.process().delete().turns == 0


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("delay", range(1, 5))
def test_a_delete_without_a_clear_answer_gives_its_receipt(
    world: World, fault: Fault, delay: int
) -> None:
    world.process().append("a", "b")
    script: Script = {("put", 1): fault, ("get", 2): Fault.UNAVAILABLE}
    store = FaultyStore(world.data, scripted(script), delay=delay)

    receipt = world.process(store).delete()
    tombstone = world.stored()
    store.land_all()

    assert receipt.turns == 2
    assert world.stored() == tombstone


def test_of_two_deletes_at_once_one_has_the_receipt(world: World) -> None:
    world.process().append("a")

    def other() -> None:
        world.clock.sleep(1e-6)
        world.process().delete()

    store = InterleavedStore(world.data, before={("put", 1): other})

    with pytest.raises(NotFoundError):
        world.process(store).delete()


def test_a_delete_counts_the_turns_that_came_before_it(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): lambda: other.append("b", "c")})

    assert world.process(store).delete().turns == 3
    assert world.texts() == []


def test_a_delete_gives_up_after_ten_seconds_of_failures(world: World) -> None:
    world.process().append("a")
    store = FaultyStore(world.data, lambda verb: Fault.REFUSED if verb == "put" else None)
    started = world.clock.monotonic_s()

    with pytest.raises(UnavailableError, match="doing=delete"):
        world.process(store).delete()

    assert 10 <= world.clock.monotonic_s() - started <= 11
    assert len(store.failed) < 120
    assert world.texts() == ["a"]


def test_a_delayed_append_that_lands_after_the_delete_is_refused(world: World) -> None:
    """Neither the first append of a conversation nor a later one comes back."""
    for before in ((), ("a",)):
        fresh = World()
        for text in before:
            fresh.process().append(text)
        store = FaultyStore(
            fresh.data, lambda verb: Fault.DELAYED if verb == "put" else None, delay=10**9
        )
        with pytest.raises(UnavailableError):
            fresh.process(store).append("late")
        fresh.process().append("b")
        fresh.process().delete()
        tombstone = fresh.stored()

        store.land_all()

        assert fresh.stored() == tombstone
        assert world.data.list("").entries == ()


def test_a_head_seen_in_this_call_and_missing_now_is_gone(world: World) -> None:
    """Somebody took the file itself away: what was seen is not created anew."""
    world.process().append("a")
    store = InterleavedStore(world.data, before={("put", 1): world.remove})

    with pytest.raises(ConversationGoneError):
        world.process(store).append("b")

    assert world.data.list("").entries == ()


def test_a_head_in_the_cache_and_missing_now_is_gone_once(world: World) -> None:
    process = world.process()
    process.append("a")
    world.remove()

    with pytest.raises(ConversationGoneError):
        process.append("b")

    assert process.append("b").first_turn == 0
