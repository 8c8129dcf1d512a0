import json
import re
from pathlib import Path
from typing import Any

import pytest

from everturn.cli.importers.conversation_files import find_files, read_conversations
from everturn.cli.output.errors import CliError

RECORD: dict[str, Any] = {
    "conversation_id": "c",
    "title": "T",
    "turns": [{"role": "user", "text": "a", "ts": "2024-01-01T00:00:00Z"}],
    "updated": "2024-01-01T00:00:00Z",
    "folder": "f",
    "archived": True,
}


def _deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def _write(path: Path, *values: object) -> Path:
    path.write_text("\n".join(json.dumps(value) for value in values))
    return path


def test_a_plain_record_is_known_with_its_bytes(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.json", RECORD)
    (found,) = read_conversations(path, None)
    assert found.conversation_id == "c"
    assert found.record == path.read_bytes()
    assert found.head == {"title": "T", "folder": "f"}
    assert found.archived
    assert found.turns == tuple(RECORD["turns"])


@pytest.mark.parametrize("turn", [{"role": "user"}, {"text": "a"}, {}, None, 7])
def test_a_record_with_a_turn_that_the_api_cannot_take_is_one_all_the_same(
    tmp_path: Path, turn: object
) -> None:
    """The API's own way names the turn; verbatim needs none."""
    document = RECORD | {"turns": [RECORD["turns"][0], turn]}
    path = _write(tmp_path / "x.json", document)
    (found,) = read_conversations(path, None)
    assert found.record == path.read_bytes()
    assert found.refused == "a turn needs a role, and a text or content position=$.turns[1]"


def test_an_id_and_a_list_of_turns_make_a_record(tmp_path: Path) -> None:
    """A time of the last write is no condition, and the title is kept."""
    document = {name: RECORD[name] for name in ("conversation_id", "title", "turns")}
    path = _write(tmp_path / "x.json", document)
    (found,) = read_conversations(path, None)
    assert found.record == path.read_bytes()
    assert found.head == {"title": "T"}


@pytest.mark.parametrize(
    "turns",
    [
        [{"role": "user", "content": "a"}],
        [[{"role": "user", "text": "a"}]],
        [{"messages": [{"role": "user", "content": "a"}]}],
    ],
)
def test_turns_that_no_record_holds_are_taken_by_the_api_with_their_title(
    tmp_path: Path, turns: list[object]
) -> None:
    """Kept as they are, nobody could read them."""
    document = {"conversation_id": "c", "title": "T", "turns": turns}
    (found,) = read_conversations(_write(tmp_path / "x.json", document), None)
    assert found.record is None
    assert (found.conversation_id, found.head) == ("c", {"title": "T"})
    assert found.turns == ({"role": "user", "text": "a"},)


@pytest.mark.parametrize("wanted", [None, "c", "d"])
def test_what_is_left_of_a_deleted_conversation_is_refused(
    tmp_path: Path, wanted: str | None
) -> None:
    tombstone = RECORD | {"turns": [], "deleted": {"segs": [], "done": True}}
    path = _write(tmp_path / "x.json", tombstone)
    with pytest.raises(CliError, match=r"deleted conversation conversation=c$"):
        read_conversations(path, wanted)


@pytest.mark.parametrize("deleted", [{}, None, True])
def test_a_foreign_field_of_that_name_deletes_nothing(tmp_path: Path, deleted: object) -> None:
    path = _write(tmp_path / "x.json", RECORD | {"deleted": deleted})
    assert read_conversations(path, None)[0].record is not None


def test_a_plain_record_under_another_id_is_no_longer_verbatim(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.json", RECORD)
    (renamed,) = read_conversations(path, "d")
    assert (renamed.conversation_id, renamed.record) == ("d", None)
    (same,) = read_conversations(path, "c")
    assert same.record is not None


def test_null_turns_of_a_record_are_none(tmp_path: Path) -> None:
    (found,) = read_conversations(_write(tmp_path / "x.json", RECORD | {"turns": None}), None)
    assert found.turns == ()


def test_lines_are_grouped_by_their_conversation_else_by_id_else_by_the_stem(
    tmp_path: Path,
) -> None:
    lines = (
        {"role": "user", "text": "a"},
        {"role": "user", "text": "b", "conversation_id": "own"},
        {"role": "assistant", "content": "c", "extra": 1, "name": None},
    )
    path = _write(tmp_path / "stem.jsonl", *lines)
    first, second = read_conversations(path, None)
    assert (first.conversation_id, second.conversation_id) == ("stem", "own")
    assert first.turns == ({"role": "user", "text": "a"}, {"role": "assistant", "text": "c"})
    assert read_conversations(path, "given")[0].conversation_id == "given"


def test_one_line_is_lines_too(tmp_path: Path) -> None:
    line = {"role": "user", "text": "a", "conversation_id": "own"}
    (found,) = read_conversations(_write(tmp_path / "x.jsonl", line), None)
    assert found.conversation_id == "own"


def test_turns_are_found_in_nested_lists_and_holders(tmp_path: Path) -> None:
    document = [
        {
            "batch": 1,
            "turns": [[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]],
        },
        {"conversation_id": "own", "messages": [{"role": "user", "content": [{"type": "text"}]}]},
        [{"role": "user", "text": "c"}],
    ]
    first, second = read_conversations(_write(tmp_path / "x.json", document), None)
    assert [turn["text"] for turn in first.turns] == ["a", "b", "c"]
    assert second.conversation_id == "own"
    assert second.turns == ({"role": "user", "content": [{"type": "text"}]},)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no turns in it"),
        ("{not", "neither JSON nor JSON lines"),
        ('{"a":1}', r"neither a turn nor something that holds turns position=\$$"),
        ('[{"role":"user","text":"a"},7]', r" position=\$\[1\]$"),
        ('{"turns":[{"text":"a"}]}', r" position=\$\.turns\[0\]$"),
        ("[]", "no turns in it"),
        (
            '{"role":"user","text":"a"}\n{"text":"b"}',
            r"a turn needs a role, and a text or content line=2$",
        ),
        ('\n{"role":"user","text":"a"}\n\n{"text":"b"}', r"line=4$"),
        ('{"role":"user","text":"a"}\n \n{"text":"b"', r"neither JSON nor JSON lines line=3$"),
        ('{\n"turns":[\n}', r"neither JSON nor JSON lines line=3$"),
        ("[" * 100_000, "neither JSON nor JSON lines"),
        ("[" * 900 + "]" * 900, "no turns in it|nested too deeply"),
        ('{"role":null,"text":"a"}', r"position=\$$"),
        ('{"role":"user","content":' + _deep(900) + "}", r"deeply .*field=content position=\$$"),
        ('{"role":"user","metadata":{"a":' + _deep(900) + '},"text":"a"}', "field=metadata"),
        ('{"role":' + _deep(900) + ',"text":"a"}', "field=role"),
        ('{"role":"user","text":"a"}\n{"role":null,"text":"b"}', r"needs a role.* line=2$"),
    ],
)
def test_what_holds_no_turns_is_named_with_its_position(
    tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(CliError, match=reason):
        read_conversations(path, None)


def test_a_directory_gives_its_files_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b.json", "a.jsonl", "c.txt", ".everturn"):
        (tmp_path / name).write_text("")
    assert [path.name for path in find_files(tmp_path)] == ["a.jsonl", "b.json"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(CliError, match=r"no \*\.json"):
        find_files(tmp_path / "empty")


def test_a_record_nested_too_deeply_for_the_api_says_so_there(tmp_path: Path) -> None:
    head = '{"conversation_id":"c","metadata":{"a":' + _deep(900) + '},"turns":[],"updated":""}'
    turn = '{"conversation_id":"c","turns":[{"role":"u","text":"","content":' + _deep(900) + "}]}"
    for text, where in ((head, r"field=metadata position=\$$"), (turn, r"turns\[0\]$")):
        (tmp_path / "x.json").write_text(text)
        (found,) = read_conversations(tmp_path / "x.json", None)
        assert found.record is not None
        assert re.search(rf"nested too deeply .*{where}", found.refused or "")


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_a_mark_of_the_byte_order_is_no_text(tmp_path: Path, name: str) -> None:
    lines = b'{"role":"user","text":"a"}\n{"role":"user","text":"b"}'
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + lines)
    (found,) = read_conversations(tmp_path / name, None)
    assert [turn["text"] for turn in found.turns] == ["a", "b"]


def test_a_record_is_stored_without_the_mark_of_its_byte_order(tmp_path: Path) -> None:
    plain = json.dumps(RECORD).encode()
    (tmp_path / "x.json").write_bytes(b"\xef\xbb\xbf" + plain)
    assert read_conversations(tmp_path / "x.json", None)[0].record == plain
