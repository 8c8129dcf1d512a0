"""An export says all that a scope has, each thing once, in lines that can be read alone."""

import json

import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.conversations.read_conversation import export_conversation
from everturn.errors import InvalidRequestError, UnavailableError
from everturn.values.cursors import ExportCursor
from everturn.values.keys import Scope, heads_prefix
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World
from transfer.export_calls import Line, lines_of, page_of, put_document_of, walked


def test_a_scope_without_anything_is_an_empty_page(world: World) -> None:
    page = page_of(world)
    assert (page.text, page.next_cursor) == ("", None)


def test_conversations_come_as_their_own_export_gives_them_then_documents(world: World) -> None:
    process = world.process()
    process.append("a", to="one")
    process.append("b", to="tenänt/ü")
    process.create("empty", title="t", folder="f", metadata={"k": [1]})
    put_document_of(world, "notes", "/memories/x.md", {"v": "ä\nb"})
    put_document_of(world, "state", "k", None)
    world.process(scope=Scope("acme", "bob")).append("hers")
    page = page_of(world)
    assert (page.conversations, page.documents, page.skipped) == (3, 2, 0)
    whole = [
        export_conversation(store=world.data, scope=SCOPE, conversation_id=id_)
        for id_ in ("empty", "one", "tenänt/ü")
    ]
    assert page.lines[:3] == whole
    documents = [line["document"] for line in lines_of(page)[3:]]
    assert [(d["space"], d["key"], d["value"]) for d in documents] == [
        ("notes", "/memories/x.md", {"v": "ä\nb"}), ("state", "k", None)
    ]  # fmt: skip
    assert page.text == "".join(f"{line}\n" for line in page.lines)


def test_a_file_in_many_lines_is_one_line_of_the_same_json(world: World) -> None:
    body = b'\xef\xbb\xbf{\r\n  "conversation_id": "thread-1",\n  "turns": [\n], "x": "a\\nb"\n}\n'
    world.place(body)
    [line] = page_of(world).lines
    assert "\n" not in line
    assert json.loads(line) == json.loads(body.decode("utf-8-sig"))


def test_what_was_deleted_is_not_there_and_what_cannot_be_read_is_named(world: World) -> None:
    process = world.process()
    process.append("a", to="deleted")
    process.delete("deleted")
    world.place(b"{", "corrupt")
    world.place(b'{"conversation_id":"x","turns":[]}', "liar")
    world.place(b"{", "tenänt/ü")
    world.data.overwrite(f"{heads_prefix(SCOPE)}stray.txt", b"x")
    world.data.overwrite("o/acme/ann/notes/k.json", b"{}")
    lines = lines_of(page_of(world))
    hashed = lines[2]["skipped"]["key"]
    assert hashed.startswith("~")
    assert [line["skipped"] for line in lines] == [
        {"conversation_id": "corrupt"}, {"conversation_id": "liar"}, {"key": hashed},
        {"document": "notes/k"},
    ]  # fmt: skip


@pytest.mark.parametrize("limit", range(1, 8))
def test_pages_of_any_limit_say_each_thing_once(world: World, limit: int) -> None:
    for number in range(5):
        world.process().append("a", to=f"c{number}")
        put_document_of(world, "s", f"k{number}", number)
    world.place(b"{", "c2x")
    assert walked(world, limit=limit) == walked(world)
    assert len(walked(world)) == 11


def test_a_page_ends_in_time_and_is_gone_on_with(world: World) -> None:
    for number in range(40):
        world.process().append("a", to=f"c{number:02d}")
    slow = InterleavedStore(
        world.data, before={("get", n): lambda: world.clock.sleep(1) for n in range(200)}
    )
    page = page_of(world, store=slow)
    assert page.next_cursor
    assert 0 < page.conversations < 40
    assert len(walked(world)) == 40


def test_a_store_that_fails_at_once_is_an_error(world: World) -> None:
    world.process().append("a")
    with pytest.raises(UnavailableError):
        page_of(world, store=FaultyStore(world.data, lambda _: Fault.UNAVAILABLE))


@pytest.mark.parametrize("at", range(1, 9))
def test_a_store_that_fails_in_the_middle_ends_the_page_there(world: World, at: int) -> None:
    for number in range(5):
        world.process().append("a", to=f"c{number}")
    faulty = FaultyStore(world.data, scripted({("get", at): Fault.UNAVAILABLE}))
    lines: list[Line] = []
    cursor: str | None = None
    for _ in range(9):
        try:
            page = page_of(world, cursor, store=faulty)
        except UnavailableError:
            continue
        lines += lines_of(page)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [line["conversation_id"] for line in lines] == [f"c{n}" for n in range(5)]


@pytest.mark.parametrize(
    "cursor",
    [
        "x", "é", ExportCursor("h").encode(), ExportCursor("c", "é").encode(),
        ExportCursor("c", "a", -1).encode(), ExportCursor("c", "../bob/x.json", 3).encode(),
        ExportCursor("c", "", 3).encode(),
    ],
)  # fmt: skip
def test_a_cursor_of_something_else_is_refused(world: World, cursor: str) -> None:
    with pytest.raises(InvalidRequestError):
        page_of(world, cursor)


def test_a_cursor_never_leads_into_another_scope(world: World) -> None:
    world.process(scope=Scope("acme", "ann2")).append("hers", to="c")
    for name in ("", "/", "../ann2/", "zzz", "\x00"):
        assert page_of(world, ExportCursor("c", name).encode()).lines == []
    inside = ExportCursor("c", "c.json", 1)
    assert "hers" not in page_of(world, inside.encode()).text


def test_a_page_of_small_conversations_is_a_request_each_and_the_listings(world: World) -> None:
    for number in range(40):
        world.process().append_drafts([TurnDraft("user", "a")], to=f"c{number}")
    store = InterleavedStore(world.data)
    page_of(world, store=store)
    assert (store.verbs.count("list"), store.verbs.count("get")) == (3, 40)
