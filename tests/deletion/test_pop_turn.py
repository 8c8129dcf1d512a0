"""Taking the newest turn back."""

import pytest

from emulation.counting_store import CountingStore
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import ConflictError, InvalidRequestError, NotFoundError
from scenarios.process import CONVERSATION
from scenarios.sealed_world import (
    at_segments_end,
    everything,
    fill,
    orphans,
    said,
    sealed_of,
    stored_texts,
)
from scenarios.world import World

COUNT = 40

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture
def long(world: World) -> World:
    """Return a world with a conversation of 40 turns, most of them sealed."""
    fill(world.process(), COUNT)
    return world


def test_the_newest_turn_goes_and_is_answered(long: World) -> None:
    long.process().list_page()
    long.clock.sleep(1)

    outcome = long.process().pop(expected=COUNT)

    assert outcome.turn is not None
    assert (outcome.turn.text, outcome.turn.index) == (said(COUNT - 1), COUNT - 1)
    assert (outcome.turn_count, outcome.complete) == (COUNT - 1, True)
    assert outcome.updated_ns == long.record().head.updated_ns == long.clock.now_ns()
    assert said(COUNT - 1).encode() not in everything(long)


def test_it_is_six_requests_and_more_where_a_segment_is_taken_back(long: World) -> None:
    store = CountingStore(long.data)
    long.process(store).pop(expected=COUNT)
    assert store.verbs() == ["get", "put", "list", "get", *["list"] * 2]

    count = at_segments_end(long)
    store.calls.clear()
    long.process(store).pop(expected=count)
    assert store.verbs() == ["get", "get", "put", "delete_many", "list", "get", *["list"] * 2]


def test_a_conversation_can_be_popped_down_to_nothing_through_its_segments(world: World) -> None:
    fill(world.process(), 90)
    assert len(sealed_of(world).segments) >= 3
    for number in range(90, 0, -1):
        outcome = world.process().pop(expected=number)
        assert outcome.turn is not None
        assert outcome.turn.text == said(number - 1)
        assert stored_texts(world) == [said(one) for one in range(number - 1)]
        assert all(int(name[13:25]) < number - 1 for name in orphans(world))
        assert said(number - 1).encode() not in everything(world)
        assert number == 1 or world.record().values
    assert world.process().list_page().rows == ()
    with pytest.raises(ConflictError):
        world.process().pop(expected=1)
    assert world.process().append("again").first_turn == 0


def test_the_next_append_takes_the_number_and_seals_again(long: World) -> None:
    count = at_segments_end(long)
    long.process().pop(expected=count)
    fill(long.process(), 30, start=count - 1)
    assert stored_texts(long) == [said(number) for number in range(count + 29)]


@pytest.mark.parametrize("expected", [1, COUNT - 1, COUNT + 1])
def test_another_count_than_expected_is_refused_with_the_true_one(
    long: World, expected: int
) -> None:
    before = long.stored()
    with pytest.raises(ConflictError, match=f"actual={COUNT}") as caught:
        long.process().pop(expected=expected)
    assert caught.value.field == "expected_turn_count"
    assert long.stored() == before


@pytest.mark.parametrize("expected", [0, -1])
def test_a_count_that_no_turn_can_have_is_refused(long: World, expected: int) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        long.process().pop(expected=expected)
    assert caught.value.field == "expected_turn_count"


def test_an_unknown_or_deleted_conversation_is_not_found(long: World) -> None:
    long.process().delete()
    for conversation_id in (CONVERSATION, "unknown"):
        with pytest.raises(NotFoundError):
            long.process().pop(expected=COUNT, conversation_id=conversation_id)


def test_a_turn_of_another_program_that_is_none_is_popped_unseen(world: World) -> None:
    world.place(f'{{"conversation_id":"{CONVERSATION}","turns":[{{"role":"user"}}, 5]}}'.encode())
    assert world.process().pop(expected=2).turn is None
    assert world.record().values == ({"role": "user"},)


def test_a_title_that_was_popped_is_gone(world: World) -> None:
    """Also where the segment that gave it was taken back before."""
    process = world.process()
    for number in range(30):
        process.append_drafts([TurnDraft("assistant", said(number))])
    process.append("secret question")
    for number in range(31, 60):
        process.append_drafts([TurnDraft("assistant", said(number))])
    assert sealed_of(world).title == "secret question"

    for number in range(60, 30, -1):
        process.pop(expected=number)

    assert process.read().record.head.turn_count == 30
    assert b"secret" not in everything(world)


def test_a_title_that_an_earlier_segment_gave_stays(long: World) -> None:
    fill(long.process(), 50, start=COUNT)
    for number in range(COUNT + 50, COUNT - 5, -1):
        long.process().pop(expected=number)
    assert [row.title for row in long.process().list_page().rows] == [said(0)]
