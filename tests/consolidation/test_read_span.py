"""The turns around a watermark: those just before it, and the next ones."""

import pytest

from emulation.counting_store import CountingStore
from everturn.consolidation.read_span import Stretch, read_stretch
from everturn.conversations.model.extraction_window import MAX_TURNS
from everturn.conversations.model.watermark import Watermark
from everturn.conversations.read_record import StoredRecord, read_record
from everturn.errors import CorruptRecordError, GoneError
from everturn.ports.object_store import ObjectStore
from scenarios.process import CONVERSATION
from scenarios.sealed_world import fill, remove_segment, said, sealed_of, stored_texts
from scenarios.world import World

BEGIN = Watermark(CONVERSATION)


def _found(world: World, store: ObjectStore | None = None) -> StoredRecord:
    found = read_record(store=store or world.data, scope=world.scope, conversation_id=CONVERSATION)
    assert found is not None
    return found


def _read(world: World, mark: Watermark, *, store: ObjectStore | None = None) -> Stretch:
    store = store or world.data
    return read_stretch(_found(world, store), mark, store=store, scope=world.scope)


def _mark(world: World, count: int) -> Watermark:
    """Return the watermark of a conversation of which so many turns were read, window by window."""
    mark = BEGIN
    while mark.turns < count:
        stretch = _read(world, mark)
        mark = mark.past(stretch.new[: count - mark.turns], now_ns=1)
    return mark


def _texts(stretch: Stretch) -> list[str]:
    return [str(value["text"]) for value in stretch.new if isinstance(value, dict)]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("at", [0, 1, 6, 14, 15, 27, 28, 29, 49, 50, 51, 99, 100, 119, 120])
def test_the_next_fifty_turns_are_read_wherever_they_lie(world: World, at: int) -> None:
    """In segments, in the head, or over their borders."""
    fill(world.process(), 120)
    assert len(sealed_of(world).segments) > 3
    stretch = _read(world, _mark(world, at))
    assert _texts(stretch) == stored_texts(world)[at : at + MAX_TURNS]
    assert (stretch.turn_count, stretch.is_behind) == (120, at < 120)
    assert stretch.mark.turns == at
    for number, value in stretch.by_number.items():
        assert isinstance(value, dict)
        assert value["text"] == said(number)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("at", [0, 3, 28, 30, 100])
def test_a_window_has_what_went_before_it(world: World, at: int) -> None:
    fill(world.process(), 120)
    window = _read(world, _mark(world, at)).window()
    assert [turn.index for turn in window.turns] == list(range(at, min(at + MAX_TURNS, 120)))
    assert [turn.index for turn in window.context] == list(range(max(at - MAX_TURNS, 0), at))


def test_a_window_is_as_large_as_the_watermark_lets_it_be(world: World) -> None:
    fill(world.process(), 60)
    assert _read(world, _mark(world, 5).after_failure(size=7)).window().size == 7
    assert _read(world, _mark(world, 55).after_failure(size=7)).window().size == 5


def test_context_is_there_for_a_watermark_that_says_turns_alone(world: World) -> None:
    """So it was written once: nothing is known of its turns."""
    fill(world.process(), 20)
    stretch = _read(world, Watermark(CONVERSATION, 10))
    assert [turn.index for turn in stretch.window().context] == [4, 5, 6, 7, 8, 9]
    assert _texts(stretch) == [said(number) for number in range(10, 20)]


def test_all_in_the_head_takes_no_request_but_that_for_the_head(world: World) -> None:
    fill(world.process(), 20)
    counting = CountingStore(world.data)
    _read(world, _mark(world, 10), store=counting)
    assert counting.verbs() == ["get"]


@pytest.mark.usefixtures("small")
def test_of_a_long_conversation_only_the_segments_that_matter_are_read(world: World) -> None:
    fill(world.process(), 200)
    mark = _mark(world, 190)
    counting = CountingStore(world.data)
    _read(world, mark, store=counting)
    named = sealed_of(world).segments
    needed = [ref for ref in named if ref.last >= mark.first]
    assert len(needed) < len(named)
    assert counting.verbs() == ["get"] * (1 + len(needed))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("popped", [1, 3, 20, 49, 50, 60])
def test_turns_that_took_the_place_of_others_are_new(world: World, popped: int) -> None:
    process = world.process()
    fill(process, 100)
    mark = _mark(world, 100)
    for count in range(100, 100 - popped, -1):
        process.pop(expected=count)
    fill(process, popped + 5, start=500)
    stretch = _read(world, mark)
    begin = 100 - popped if popped < MAX_TURNS else 0
    assert stretch.mark.turns == begin
    assert _texts(stretch) == stored_texts(world)[begin : begin + MAX_TURNS]


def test_where_turns_were_only_taken_back_nothing_is_new(world: World) -> None:
    fill(world.process(), 20)
    mark = _mark(world, 20)
    world.process().pop(expected=20)
    stretch = _read(world, mark)
    assert not stretch.is_behind
    assert stretch.new == ()


@pytest.mark.usefixtures("small")
def test_a_segment_that_went_since_the_head_was_read_is_to_be_read_again(world: World) -> None:
    fill(world.process(), 60)
    found = _found(world)
    world.process().redact(3)
    with pytest.raises((GoneError, CorruptRecordError)) as caught:
        read_stretch(found, BEGIN, store=world.data, scope=world.scope)
    assert caught.type is GoneError
    remove_segment(world, sealed_of(world).segments[0].name)
    with pytest.raises(GoneError):
        _read(world, BEGIN)
