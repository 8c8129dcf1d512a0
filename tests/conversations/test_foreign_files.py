"""Heads that another program put there, without metadata: listed, read, appended to, patched."""

import json

import pytest

from everturn.conversations.model.patch import Patch
from everturn.conversations.read_conversation import export_conversation
from scenarios.process import SCOPE
from scenarios.world import World

GO = (
    b'{"conversation_id":"thread-1","title":"Caf\xc3\xa9 \\u0026 bar","turns":['
    b'{"role":"user","text":"\\u003chello\\u003e","intent_id":"i1","ts":"2025-01-01T10:00:00.5Z"},'
    b'{"role":"assistant","text":"hi","ts":"2025-01-01T10:00:01Z"}],'
    b'"updated":"2025-01-01T10:00:01Z"}\n'
)
FOREIGN = b"""{
  "updated": "2025-01-01T12:00:00+02:00",
  "model": {"name": "x", "t": 1.50},
  "turns": [
    {"text": "hello", "role": "user", "mood": [1, {"a": null}]},
    {"note": "no role, no text"},
    "no turn at all",
    {"role": "assistant", "text": "hi", "ts": "yesterday"}
  ],
  "tags": ["a", "b"],
  "conversation_id": "thread-1"
}
"""


def test_a_file_of_the_go_program_is_listed_read_and_appended_to(world: World) -> None:
    world.place(GO)
    process = world.process()

    row = process.list_page().rows[0]
    page = process.read()
    outcome = process.append("more")

    assert (row.title, row.preview, row.turn_count) == ("Caf\u00e9 & bar", "hi", 2)
    assert [turn.text for turn in page.turns] == ["<hello>", "hi"]
    assert (outcome.first_turn, outcome.turn_count) == (2, 3)


def test_the_turns_of_the_go_program_keep_their_bytes(world: World) -> None:
    world.place(GO)
    world.process().append("more")

    front, _, _ = GO.partition(b'],"updated"')
    assert world.stored().body.startswith(front)
    assert json.loads(world.stored().body)["turns"][:2] == json.loads(GO)["turns"]


def test_unknown_fields_of_a_foreign_file_survive_an_append_and_a_patch(world: World) -> None:
    world.place(FOREIGN)
    process = world.process()
    process.append("more", key="k")
    process.patch(Patch(title="named", folder="f"))
    world.process().append("and more")

    before, after = json.loads(FOREIGN), json.loads(world.stored().body)
    assert after["turns"][:4] == before["turns"]
    assert [turn["text"] for turn in after["turns"][4:]] == ["more", "and more"]
    assert (after["model"], after["tags"]) == (before["model"], before["tags"])
    assert (after["title"], after["folder"]) == ("named", "f")


def test_unreadable_turns_keep_their_numbers_and_are_left_out(world: World) -> None:
    world.place(FOREIGN)
    outcome = world.process().append("more")

    page = world.process().read()

    assert (outcome.first_turn, outcome.turn_count) == (4, 5)
    assert [turn.index for turn in page.turns] == [0, 3, 4]


def test_a_foreign_file_has_no_ring_until_our_first_write(world: World) -> None:
    world.place(FOREIGN)
    assert world.ring().text == ""
    first = world.process().append("more", key="k")
    again = world.process().append("more", key="k")

    assert again.replayed
    assert again.first_turn == first.first_turn == 4


def test_a_foreign_file_that_came_meanwhile_is_appended_to(world: World) -> None:
    process = world.process()
    process.append("ours")
    world.place(GO)

    assert process.append("more").first_turn == 2
    assert world.texts() == ["<hello>", "hi", "more"]


@pytest.mark.parametrize("body", [GO, FOREIGN, b"\xef\xbb\xbf" + GO])
def test_an_export_is_the_stored_file_byte_for_byte(world: World, body: bytes) -> None:
    world.place(body)

    text = export_conversation(store=world.data, scope=SCOPE, conversation_id="thread-1")

    assert text.encode() == body


def test_updated_of_a_foreign_file_is_compared_as_a_time(world: World) -> None:
    """12:00+02:00 is 10:00 UTC, before 11:00 UTC, whatever the texts say."""
    world.place(FOREIGN)
    world.place(
        GO.replace(b"thread-1", b"later").replace(b'10:00:01Z"}\n', b'11:00:00Z"}'), "later"
    )

    rows = world.process().list_page().rows

    assert [row.conversation_id for row in rows] == ["later", "thread-1"]


def test_a_file_of_the_far_future_hides_nothing(world: World) -> None:
    world.place(
        b'{"conversation_id":"thread-1","turns":[{"role":"user","text":"a",'
        b'"ts":"9999-12-31T23:59:59-23:59"}],"updated":"9999-12-31T23:59:59-23:59"}'
    )
    world.process().append("b", to="other")

    rows = world.process().list_page().rows

    assert len(rows) == 2


def test_deleting_a_foreign_file_leaves_nothing_of_it(world: World) -> None:
    world.place(FOREIGN)

    assert world.process().delete().turns == 4
    assert b"hello" not in world.stored().body
    assert b"model" not in world.stored().body
