"""Idempotency keys: how long they are honoured, what they belong to."""

import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.errors import ConversationGoneError, InvalidRequestError
from everturn.ports.object_store import MAX_META_BYTES
from everturn.values.keys import Scope, head_key
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World


@pytest.mark.parametrize("others", [0, 1, 59])
def test_a_keyed_retry_from_a_fresh_process_is_replayed_within_sixty_appends(
    world: World, others: int
) -> None:
    first = world.process().append("mine", "too", key="k")
    _append_others(world, others)

    again = world.process().append("mine", "too", key="k")

    assert again.replayed
    assert (again.first_turn, again.appended) == (first.first_turn, 2)
    assert again.turn_count == 2 + others
    assert world.texts().count("mine") == 1


@pytest.mark.parametrize("others", [60, 100])
def test_a_keyed_retry_after_sixty_others_is_a_new_append(world: World, others: int) -> None:
    """The documented end of the guarantee: a key is honoured for the last 60 appends."""
    world.process().append("mine", key="k")
    _append_others(world, others)

    again = world.process().append("mine", key="k")

    assert not again.replayed
    assert again.first_turn == 1 + others
    assert world.texts().count("mine") == 2


def test_a_keyed_retry_in_the_same_process_is_replayed(world: World) -> None:
    process = world.process()
    first = process.append("mine", key="k")
    process.append("other")

    again = process.append("mine", key="k")

    assert again.replayed
    assert (again.first_turn, again.turn_count) == (first.first_turn, 2)


def test_a_retry_that_sends_no_times_is_the_same_though_the_clock_went_on(world: World) -> None:
    world.process().append("mine", key="k")
    world.clock.sleep(60)

    assert world.process().append("mine", key="k").replayed


@pytest.mark.parametrize(
    "changed",
    [
        [TurnDraft("user", "others")],
        [TurnDraft("assistant", "mine")],
        [TurnDraft("user", "mine"), TurnDraft("user", "more")],
        [TurnDraft("user", "mine", ts="2025-05-05T05:05:05Z")],
        [TurnDraft("user", "mine", intent_id="i")],
        [TurnDraft("user", "mine", metadata={})],
        [TurnDraft("user", " ")],
        [],
    ],
)
def test_a_key_that_came_with_other_turns_is_refused(
    world: World, changed: list[TurnDraft]
) -> None:
    process = world.process()
    process.append("mine", key="k")
    before = world.stored()

    for attempt in (process, world.process()):
        with pytest.raises(InvalidRequestError) as caught:
            attempt.append_drafts(changed, key="k")
        assert caught.value.field == "Idempotency-Key"

    assert world.stored() == before


def test_a_key_used_before_is_found_by_a_warm_process_that_has_not_seen_it(world: World) -> None:
    warm = world.process()
    warm.append("a")
    world.process().append("mine", key="k")

    assert warm.append("mine", key="k").replayed
    assert world.texts() == ["a", "mine"]


def test_another_key_is_another_append(world: World) -> None:
    process = world.process()
    process.append("yes", key="k1")
    process.append("yes", key="k2")

    assert world.texts() == ["yes", "yes"]


def test_the_same_key_in_another_conversation_is_another_append(world: World) -> None:
    process = world.process()

    assert not process.append("yes", to="c1", key="k").replayed
    assert not process.append("yes", to="c2", key="k").replayed
    assert not process.append("other", to="c3", key="k").replayed


@pytest.mark.parametrize("scope", [Scope("acme", "bob"), Scope("other", "ann")])
def test_the_same_key_in_another_scope_is_another_append(world: World, scope: Scope) -> None:
    world.process().append("yes", key="k")
    outcome = world.process(scope=scope).append("yes", key="k")

    assert not outcome.replayed
    assert outcome.turn_count == 1


@pytest.mark.parametrize("key", ["", " ", "a\nb", "x" * 1_025])
def test_a_wrong_key_is_refused_before_any_request(world: World, key: str) -> None:
    store = InterleavedStore(world.data)

    with pytest.raises(InvalidRequestError) as caught:
        world.process(store).append("a", key=key)

    assert caught.value.field == "Idempotency-Key"
    assert store.verbs == []


def test_two_racing_requests_with_one_key_write_once(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): lambda: other.append("m", key="k")})

    outcome = world.process(store).append("m", key="k")

    assert outcome.replayed
    assert world.texts() == ["a", "m"]


def test_metadata_stays_within_what_a_store_takes(world: World) -> None:
    """Of 200 keyed appends the newest 60 are kept, and no text of anybody is among it."""
    process = world.process()
    for number in range(200):
        process.append(f"secret {number}", key=f"private key {number}")
        meta = world.stored().meta
        assert sum(len(name) + len(value) for name, value in meta.items()) <= MAX_META_BYTES
        assert "secret" not in str(meta)
        assert "private" not in str(meta)

    assert len(world.ring().text) == 60 * 30


def test_keys_hold_no_text_of_the_request(world: World) -> None:
    world.process().append("a", to="my private topic", key="k")

    keys = [entry.key for entry in world.data.list("").entries]

    assert keys == [head_key(SCOPE, "my private topic")]
    assert "private" not in keys[0]


def test_a_key_of_a_deleted_conversation_answers_gone(world: World) -> None:
    world.process().append("a", key="k")
    world.process().delete()

    with pytest.raises(ConversationGoneError):
        world.process().append("a", key="k")


def test_a_key_of_a_conversation_before_its_deletion_is_new_after_it(world: World) -> None:
    process = world.process()
    process.append("old", key="k")
    process.delete()
    process.create()

    outcome = process.append("new", key="k")

    assert not outcome.replayed
    assert world.texts() == ["new"]


def _append_others(world: World, count: int) -> None:
    other = world.process()
    for number in range(count):
        other.append(f"other {number}", key=f"other {number}")
