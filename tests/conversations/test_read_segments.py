"""Reading a conversation of which most is sealed."""

import json
from collections.abc import Callable

import pytest

from emulation.counting_store import CountingStore
from everturn.conversations.read_conversation import TurnPage, export_conversation
from everturn.errors import CorruptRecordError, NotFoundError, TooLargeError, UnavailableError
from everturn.values.go_json import dumps
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION, Process
from scenarios.sealed_world import (
    fill,
    put_segment,
    remove_segment,
    said,
    sealed_of,
    segment,
    stored_texts,
)
from scenarios.world import World

COUNT = 100

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture
def long(world: World) -> World:
    """Return a world with a conversation of 100 turns in several segments."""
    fill(world.process(), COUNT)
    assert len(sealed_of(world).segments) >= 3
    return world


def _opened(store: CountingStore) -> list[str]:
    """Return the names of the segments that were read."""
    return [key.rpartition("/")[2].removesuffix(".json") for _, key in store.calls if key[0] == "s"]


def export(process: Process) -> str:
    return export_conversation(
        store=process.store, scope=process.scope, conversation_id=CONVERSATION
    )


@pytest.mark.parametrize("limit", [1, 2, 7, 28, 50, 1_000])
def test_a_walk_in_pages_of_any_size_gives_every_turn_once(long: World, limit: int) -> None:
    texts: list[str] = []
    numbers: list[int] = []
    after: int | None = 0
    while after is not None:
        page = long.process().page(after, limit=limit)
        assert len(page.turns) <= limit
        texts += [turn.text for turn in page.turns]
        numbers += [turn.index for turn in page.turns]
        after = page.next_turn
    assert texts == [said(number) for number in range(COUNT)]
    assert numbers == list(range(COUNT))


@pytest.mark.parametrize("limit", [1, 3, 30, 99, 100, 101])
def test_a_page_from_any_turn_and_the_newest_of_any_number_are_what_was_said(
    long: World, limit: int
) -> None:
    texts = [said(number) for number in range(COUNT)]
    for first in (0, 1, 23, 24, 25, 47, 48, 71, 72, 88, 95, 99):
        page = long.process().page(first, limit=limit)
        assert [turn.text for turn in page.turns] == texts[first : first + limit]
        assert page.next_turn == (first + limit if first + limit < COUNT else None)
    newest = long.process().read(last=limit)
    assert [turn.text for turn in newest.turns] == texts[-limit:]
    assert [turn.index for turn in newest.turns] == list(range(COUNT))[-limit:]


@pytest.mark.parametrize("first", [COUNT, COUNT + 1, 10**9])
def test_a_page_behind_the_last_turn_is_empty(long: World, first: int) -> None:
    store = CountingStore(long.data)
    page = long.process(store).page(first)
    assert (page.turns, page.next_turn) == ((), None)
    assert len(store.calls) == 1


def test_only_the_segments_that_hold_what_is_asked_for_are_opened(long: World) -> None:
    """One request for the head, one for each of these."""
    refs = sealed_of(long).segments
    tail = COUNT - sealed_of(long).turns

    def page(first: int, limit: int = 50) -> list[str]:
        return _opened_by(long, lambda process: process.page(first, limit=limit))

    def newest(last: int) -> list[str]:
        return _opened_by(long, lambda process: process.read(last=last))

    for ref in refs:
        assert page(ref.last, 1) == page(ref.first, ref.count) == [ref.name]
    assert page(refs[0].last, 2) == [refs[0].name, refs[1].name]
    assert page(sealed_of(long).turns) == []
    assert newest(tail) == []
    assert newest(tail + 1) == [refs[-1].name]
    assert newest(1_000) == sorted(ref.name for ref in refs)


def _opened_by(world: World, read: Callable[[Process], TurnPage]) -> list[str]:
    store = CountingStore(world.data)
    read(world.process(store))
    names = _opened(store)
    assert len(store.calls) == 1 + len(names)
    return sorted(names)


def test_a_list_row_needs_the_head_alone(long: World) -> None:
    """Its title is still the first user turn, which is sealed."""
    store = CountingStore(long.data)
    (row,) = long.process(store).list_page().rows
    assert (row.title, row.preview, row.turn_count) == (said(0), said(COUNT - 1), COUNT)
    assert _opened(store) == []


def test_a_title_that_was_given_stays(world: World) -> None:
    world.process().create(title="given")
    fill(world.process(), 40)
    assert [row.title for row in world.process().list_page().rows] == ["given"]


@pytest.mark.parametrize("read", ["page", "last"])
def test_a_reader_that_meets_a_segment_removed_meanwhile_reads_again(
    long: World, read: str
) -> None:
    """A redaction replaced it."""
    writer = long.process()
    store = InterleavedStore(long.data, before={("get", 2): lambda: writer.redact(50)})
    process = long.process(store)
    page = process.page(0, limit=COUNT) if read == "page" else process.read()
    texts = [said(number) for number in range(COUNT)]
    assert [turn.text for turn in page.turns] == [*texts[:50], "", *texts[51:]]


def test_a_reader_of_a_conversation_deleted_meanwhile_finds_nothing(long: World) -> None:
    deleter = long.process()
    store = InterleavedStore(long.data, before={("get", 2): deleter.delete})
    with pytest.raises(NotFoundError):
        long.process(store).page(0)


def test_a_reader_beside_endless_changes_gives_up(long: World) -> None:
    writer = long.process()
    numbers = iter(range(50))

    def change() -> None:
        for _ in range(2):
            writer.redact(next(numbers))

    # Each second read is the one of a segment.
    store = InterleavedStore(long.data, before={("get", 2 * n): change for n in range(1, 9)})
    with pytest.raises(UnavailableError, match="changing"):
        long.process(store).page(0, limit=1)


def test_a_segment_that_is_missing_for_good_is_a_corrupt_record(long: World) -> None:
    refs = sealed_of(long).segments
    remove_segment(long, refs[0].name)
    with pytest.raises(CorruptRecordError, match=f"conversation={CONVERSATION}"):
        long.process().page(0)
    with pytest.raises(CorruptRecordError):
        export(long.process())
    assert long.process().page(refs[1].first, limit=1).turns[0].text == said(refs[1].first)
    assert long.process().append("more").turn_count == COUNT + 1


@pytest.mark.parametrize("wrong", ["fewer", "more", "another id", "broken", "empty"])
def test_a_segment_with_wrong_content_is_a_corrupt_record(long: World, wrong: str) -> None:
    name = sealed_of(long).segments[0].name
    body = json.loads(segment(long, name).body)
    turns = body["turns"]
    changed = {
        "fewer": {**body, "turns": turns[1:]},
        "more": {**body, "turns": [*turns, turns[0]]},
        "another id": {**body, "conversation_id": "thread-2"},
    }
    broken = {"broken": b"{", "empty": b""}.get(wrong)
    put_segment(long, name, broken if broken is not None else dumps(changed[wrong]).encode())
    with pytest.raises(CorruptRecordError):
        long.process().page(0)


@pytest.mark.parametrize("part", ["segs", "turns", "title"])
def test_a_malformed_sealed_is_a_corrupt_record_that_nothing_is_written_over(
    long: World, part: str
) -> None:
    head = json.loads(long.stored().body)
    wrong = {"segs": [], "turns": 3, "title": 5}[part]
    head["sealed"] = {**head["sealed"], part: wrong}
    long.place(dumps(head).encode())
    before = long.stored()
    process = long.process()
    calls: list[Callable[[], object]] = [
        process.read, lambda: process.append("x"), lambda: process.redact(0),
        lambda: process.pop(expected=COUNT), process.delete, lambda: export(process),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(CorruptRecordError):
            call()
    assert long.stored() == before


def test_an_export_is_the_file_that_it_would_be_without_segments(long: World) -> None:
    """Byte for byte, whatever fields the head has."""
    whole = World(clock=long.clock)
    whole.place(export(long.process()).encode())
    record = whole.record()
    assert record.head.sealed is None
    assert [turn.text for turn in record.readable_turns()] == stored_texts(long)
    assert record.head.updated_ns == long.record().head.updated_ns
    runs = [json.loads(segment(long, ref.name).body)["turns"] for ref in sealed_of(long).segments]
    assert list(record.values) == [*(turn for run in runs for turn in run), *long.record().values]


def test_an_export_above_three_mebibytes_is_refused_and_opens_no_more_than_it_has_to(
    long: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everturn.conversations.read_conversation.MAX_ANSWER_BYTES", 4_000)
    with pytest.raises(TooLargeError):
        export(long.process())


def test_a_walk_ends_also_where_nothing_can_be_read(world: World) -> None:
    """Turns of another program, none of which is one; what was said after them was popped."""
    body = dumps({"conversation_id": CONVERSATION, "turns": [["x" * 50]] * 40, "updated": ""})
    world.place(body.encode())
    process = world.process()
    process.append("mine")
    process.pop(expected=41)
    assert sealed_of(world).turns > 10
    for first in (0, 5, 39):
        assert world.process().page(first, limit=3).next_turn is None
