"""Redacting one turn: its number, role and time stay, its text is in no file any more."""

import pytest

from emulation.counting_store import CountingStore
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import InvalidRequestError, NotFoundError
from scenarios.process import CONVERSATION
from scenarios.sealed_world import (
    everything,
    fill,
    orphans,
    said,
    sealed_of,
    stored_texts,
)
from scenarios.world import World

COUNT = 60
TEXTS = [said(number) for number in range(COUNT)]
# The first turn, one inside, the last of a segment and the first of the next, the tail's ends.
PLACES = (0, 5, 23, 24, 47, 48, 58, 59)

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture
def long(world: World) -> World:
    """Return a world with a conversation of 60 turns in several segments, which was listed."""
    fill(world.process(), COUNT)
    world.process().list_page()
    return world


def without(number: int, text: str = "") -> list[str]:
    return [*TEXTS[:number], text, *TEXTS[number + 1 :]]


@pytest.mark.parametrize("number", PLACES)
def test_a_turn_is_redacted_wherever_it_stands(long: World, number: int) -> None:
    before = long.record().head.updated_ns
    old = long.process().page(number, limit=1).turns[0]

    outcome = long.process().redact(number)

    assert outcome.turn is not None
    assert (outcome.turn.role, outcome.turn.ts, outcome.turn.text) == (old.role, old.ts, "")
    assert (outcome.turn.index, outcome.turn_count, outcome.complete) == (number, COUNT, True)
    assert outcome.updated_ns == long.record().head.updated_ns == before + 1
    assert stored_texts(long) == without(number)
    assert [turn.text for turn in long.process().read().turns] == without(number)
    assert said(number).encode() not in everything(long)
    assert not any(SegmentRef(name, 0).holds(number) for name in orphans(long))


def test_all_else_that_a_turn_carried_goes_too(world: World) -> None:
    draft = TurnDraft("user", "secret", "secret", None, "secret", ["secret"], {"k": "secret"})
    world.process().append_drafts([draft])
    world.process().redact(0, text="[removed]")
    assert b"secret" not in everything(world)
    assert world.texts() == ["[removed]"]


@pytest.mark.parametrize("number", [5, 59])
def test_what_says_so_already_is_left_as_it_is(long: World, number: int) -> None:
    long.process().redact(number)
    before, store = long.stored(), CountingStore(long.data)

    outcome = long.process(store).redact(number)

    assert outcome.complete
    assert outcome.updated_ns == long.record().head.updated_ns
    assert long.stored() == before
    assert not {"put", "delete_many"} & set(store.verbs())


@pytest.mark.parametrize("number", [5, 59])
def test_another_text_may_take_the_place_of_the_first_one(long: World, number: int) -> None:
    long.process().redact(number, text="first")
    long.process().redact(number, text="second")
    assert stored_texts(long) == without(number, "second")
    assert b"first" not in everything(long)


def test_a_redacted_title_gives_way_to_the_next_user_turn(long: World) -> None:
    """Sealed or not: turn 1 is the assistant's."""
    long.process().redact(0)
    assert [row.title for row in long.process().list_page().rows] == [said(2)]
    long.process().redact(2, text="[removed]")
    assert [row.title for row in long.process().list_page().rows] == ["[removed]"]
    long.process().redact(48)
    assert sealed_of(long).title == "[removed]"


def test_a_title_is_looked_for_in_the_segments_that_follow(world: World) -> None:
    process = world.process()
    process.append("the only one")
    process.append_drafts([TurnDraft("assistant", said(number)) for number in range(40)])
    process.append_drafts([TurnDraft("assistant", said(number)) for number in range(40, 60)])
    process.append("the second one")
    process.append_drafts([TurnDraft("assistant", said(number)) for number in range(60, 90)])
    fill(process, 1)
    assert sealed_of(world).title == "the only one"
    assert sealed_of(world).holding(61, 61) != sealed_of(world).holding(0, 0)

    process.redact(0)

    assert sealed_of(world).title == "the second one"


def test_a_turn_that_says_the_same_as_the_title_does_not_change_it(world: World) -> None:
    process = world.process()
    process.append("hello")
    fill(process, 40)
    process.append("hello")
    fill(process, 40)
    refs = sealed_of(world).holding(41, 41)
    for number in range(refs[0].first, 41):
        process.redact(number)

    process.redact(41)

    assert sealed_of(world).title == "hello"


@pytest.mark.parametrize("number", [-1, COUNT, 10**9])
def test_a_turn_that_is_not_there_is_not_found(long: World, number: int) -> None:
    before = long.stored()
    with pytest.raises(NotFoundError):
        long.process().redact(number)
    assert long.stored() == before


def test_neither_is_one_of_a_conversation_that_is_unknown_or_deleted(long: World) -> None:
    long.process().delete()
    for conversation_id in (CONVERSATION, "unknown"):
        with pytest.raises(NotFoundError):
            long.process().redact(0, conversation_id=conversation_id)


def test_a_text_above_a_thousand_characters_is_refused(long: World) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        long.process().redact(0, text="x" * 1_001)
    assert caught.value.field == "text"
    assert long.process().redact(0, text="x" * 1_000).complete


def test_a_turn_of_another_program_that_is_none_goes_too(world: World) -> None:
    world.place(f'{{"conversation_id":"{CONVERSATION}","turns":[ ["secret"] , 5]}}'.encode())
    outcome = world.process().redact(0)
    assert (outcome.turn, outcome.turn_count, outcome.complete) == (None, 2, True)
    assert b"secret" not in everything(world)
