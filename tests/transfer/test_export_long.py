"""Conversations of many segments or above a page in an export: whole again, whatever happens."""

import json

import pytest

from everturn.conversations.read_conversation import export_conversation
from everturn.transfer import export_conversations
from everturn.transfer import export_scope as module
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.sealed_world import fill, remove_segment, sealed_of
from scenarios.world import World
from transfer.export_calls import lines_of, page_of, texts_of, walked


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of some 3 KB, pieces of a third of that."""
    monkeypatch.setattr(module, "_MAX_LINES_BYTES", 3_000)
    monkeypatch.setattr(export_conversations, "MAX_PIECE_BYTES", 1_000)


@pytest.mark.usefixtures("small")
def test_sealed_turns_stand_in_their_place(world: World) -> None:
    texts = fill(world.process(), 40)
    [line] = page_of(world).lines
    whole = export_conversation(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)
    assert line == whole
    assert [turn["text"] for turn in json.loads(line)["turns"]] == texts


@pytest.mark.usefixtures("small", "tiny")
def test_a_long_conversation_comes_in_lines_that_tile(world: World) -> None:
    world.process().append("before", to="a")
    texts = fill(world.process(), 150)
    world.process().append("after", to="z")
    pages = [page_of(world)]
    while pages[-1].next_cursor:
        pages.append(page_of(world, pages[-1].next_cursor))
    assert all(page.size <= 3_000 for page in pages)
    assert len(pages) > 3
    lines = [line for page in pages for line in lines_of(page)]
    assert texts_of(lines) == texts
    assert [line["conversation_id"] for line in lines if "updated" in line] == [
        "a",
        CONVERSATION,
        "z",
    ]
    assert sum(page.conversations for page in pages) == 3


@pytest.mark.usefixtures("tiny")
def test_a_long_conversation_in_one_file_is_cut_too_and_a_giant_turn_comes_alone(
    world: World,
) -> None:
    texts = [*("x" * 400 for _ in range(12)), "giant" * 2_000, *("y" * 400 for _ in range(12))]
    world.process().append(*texts)
    lines = walked(world)
    assert texts_of(lines) == texts
    giant = next(line for line in lines if len(json.dumps(line)) > 5_000)
    assert len(giant["turns"]) == 1


@pytest.mark.usefixtures("small", "tiny")
def test_appends_between_pages_are_in_the_rest(world: World) -> None:
    process = world.process()
    texts = fill(process, 120)
    page = page_of(world)
    lines, number = lines_of(page), 120
    while page.next_cursor:
        texts += fill(process, 3, start=number)
        number += 3
        page = page_of(world, page.next_cursor)
        lines += lines_of(page)
    assert texts_of(lines) == texts[: len(texts_of(lines))]
    assert len(texts_of(lines)) > 120


@pytest.mark.usefixtures("small", "tiny")
@pytest.mark.parametrize("change", ["redact", "pop", "delete", "again"])
def test_a_conversation_that_lost_something_between_pages_is_never_said_half(
    world: World, change: str
) -> None:
    process = world.process()
    texts = fill(process, 120)
    first = page_of(world)
    assert first.next_cursor
    if change == "redact":
        process.redact(2)
        texts[2] = ""
    elif change == "pop":
        process.pop(expected=120)
        texts.pop()
    else:
        process.delete()
    if change == "again":
        process.create()
        texts = fill(world.process(), 120, start=500)
    lines = lines_of(first)
    page = page_of(world, first.next_cursor)
    lines += lines_of(page)
    while page.next_cursor:
        page = page_of(world, page.next_cursor)
        lines += lines_of(page)
    if change == "delete":
        assert lines[-1] == {"gone": {"conversation_id": CONVERSATION}}
        assert not any("skipped" in line for line in lines)
    else:
        assert texts_of(lines) == texts


@pytest.mark.usefixtures("small")
def test_a_segment_that_a_redaction_replaces_meanwhile_is_read_in_its_new_form(
    world: World,
) -> None:
    texts = fill(world.process(), 40)
    other = world.process()
    store = InterleavedStore(world.data, after={("get", 1): lambda: other.redact(2)})
    texts[2] = ""
    assert texts_of(walked(world, store=store)) == texts


@pytest.mark.usefixtures("small")
def test_a_conversation_of_which_a_segment_is_missing_is_named(world: World) -> None:
    fill(world.process(), 40)
    remove_segment(world, sealed_of(world).segments[0].name)
    assert lines_of(page_of(world)) == [{"skipped": {"conversation_id": CONVERSATION}}]
