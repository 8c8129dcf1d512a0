"""Which form a file has, and the whole way of each form: file, command, store."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.foreign_files import chatgpt_export, claude_export, event, said
from cli.importers.test_messages import BLOCKS, COMPLETIONS, ITEMS
from cli.stores import Run
from everturn.cli.importers.formats import FORMATS, READINGS, format_of
from everturn.client import Everturn

TEXT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
LANGCHAIN = [{"type": "human", "data": {"content": "hi"}}]
EVENTS = {"events": [event(1, said("USER", "hi"))]}
RECORD = {"conversation_id": "c", "turns": [], "updated": "2026-01-01T00:00:00Z"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    with Everturn.local(tmp_path / "store") as made:
        yield made


def _write(path: Path, *values: object) -> Path:
    path.write_text("\n".join(json.dumps(value) for value in values))
    return path


@pytest.mark.parametrize(
    ("values", "format_"),
    [
        ([[chatgpt_export()]], "chatgpt"),
        ([chatgpt_export()], "chatgpt"),
        ([{"conversations": [chatgpt_export()]}], "chatgpt"),
        ([[claude_export()]], "claude"),
        ([EVENTS], "agentcore"),
        ([EVENTS["events"]], "agentcore"),
        ([EVENTS["events"][0]] * 2, "agentcore"),
        ([LANGCHAIN], "langchain"),
        ([{"messages": LANGCHAIN}], "langchain"),
        ([COMPLETIONS], "openai"),
        ([{"model": "m", "messages": COMPLETIONS}], "openai"),
        ([{"messages": TEXT}, {"messages": COMPLETIONS}], "openai"),
        ([ITEMS[1:]], "openai"),
        ([BLOCKS], "anthropic"),
        ([{"model": "m", "system": "s", "messages": BLOCKS}], "anthropic"),
        ([TEXT], "everturn"),
        ([{"messages": TEXT}], "everturn"),
        (TEXT, "everturn"),
        ([RECORD], "everturn"),
        ([{"a": 1}], "everturn"),
        ([[]], "everturn"),
        ([[7, *COMPLETIONS]], "everturn"),
        (["x"], "everturn"),
    ],
)
@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_a_form_is_known_where_it_is_certain(
    tmp_path: Path, values: list[object], format_: str, name: str
) -> None:
    assert format_of(_write(tmp_path / name, *values)) == format_


@pytest.mark.parametrize("text", ["", "{", "[", "[{", "\0", "{}\n{", "[" * 10_000])
def test_what_is_no_json_is_for_its_reader_to_refuse(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    assert format_of(tmp_path / "x.json") == "everturn"


def test_an_export_of_chatgpt_becomes_conversations(
    run: Run, tmp_path: Path, client: Everturn
) -> None:
    other = chatgpt_export(conversation_id="2", title="Other", is_archived=True)
    _write(tmp_path / "conversations.json", [chatgpt_export(), other])
    result = run("import", "conversations.json")
    assert result.stdout == (
        "8f3a2b1c-1111: 2 turns added, 0 already there, 0 clamped, 1 ignored\n"
        "2: 2 turns added, 0 already there, 0 clamped, 1 ignored\n"
    )
    assert "conversations.json: read as chatgpt\n" in result.stderr
    assert "8f3a2b1c-1111: other branches are left out messages=1\n" in result.stderr
    (shown,) = client.list_conversations(archived=False).conversations
    assert (shown.title, shown.preview, shown.turn_count) == ("Gates", "In terminal 1.", 2)
    turn = client.get_turns("8f3a2b1c-1111", from_=0, limit=1).turns[0]
    assert turn.ts == "2025-01-07T00:23:32.345Z"
    again = run("import", "conversations.json")
    assert again.stdout.count("0 turns added, 2 already there") == 2


def test_an_export_of_claude_becomes_conversations(
    run: Run, tmp_path: Path, client: Everturn
) -> None:
    _write(tmp_path / "conversations.json", [claude_export()])
    for added in ("2 turns added", "0 turns added, 2 already there"):
        assert added in run("import", "conversations.json").stdout
    page = client.get_turns("c1a0de00-2222", last=9)
    assert [turn.content["uuid"] for turn in page.turns] == ["a", "bb"]


def test_a_conversation_that_cannot_be_read_is_named_and_the_others_are_imported(
    run: Run, tmp_path: Path, client: Everturn
) -> None:
    large = chatgpt_export(conversation_id="large")
    large["mapping"]["q"]["message"]["content"]["parts"] = ["x" * 1_100_000]
    values = [large, chatgpt_export(conversation_id=None, id=None), 7, chatgpt_export()]
    _write(tmp_path / "x.json", values)
    result = run("import", "x.json", "--from", "chatgpt")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[2:] == [
        "error: x.json: a turn is too large max_bytes=1048576 position=$[0] turn=1",
        "error: x.json: a conversation needs an id position=$[1]",
        "error: x.json: no conversation position=$[2]",
        "8f3a2b1c-1111: other branches are left out messages=1",
        "error: x.json: all but some was imported failed=3",
        "error: some files were not imported failed=1 files=1",
    ]
    assert [row.conversation_id for row in client.all_conversations()] == ["8f3a2b1c-1111"]


def test_events_of_agentcore_become_sessions_and_documents(
    run: Run, tmp_path: Path, client: Everturn
) -> None:
    _write(tmp_path / "e.json", [event(1, said("USER", "hi"), {"json": {"step": 1}})])
    for state, count in (("added", 1), ("already there", 0)):
        result = run("import", "e.json")
        assert f"s1: {count} turns added" in result.stdout
        key = "0000001756147154001#ffa53e54.1"
        assert f"document agentcore.s1/{key}: {state}\n" in result.stdout
    assert client.get_document("agentcore.s1", key).value == {"json": {"step": 1}}


def test_events_of_several_actors_need_one_to_be_named(run: Run, tmp_path: Path) -> None:
    events = [event(1, said("USER", "hi")), event(2, said("USER", "ho"), actorId="erin")]
    _write(tmp_path / "e.json", events)
    assert "name one by --from-actor actors=dana,erin" in run("import", "e.json").stderr
    assert "s1: 1 turns added" in run("import", "e.json", "--from-actor", "erin").stdout


@pytest.mark.parametrize(
    ("values", "id_"),
    [
        ([COMPLETIONS], "x"),
        ([{"messages": COMPLETIONS}], "x"),
        ([{"messages": COMPLETIONS}] * 2, "x-2"),
    ],
)
def test_messages_are_named_after_their_file_and_each_line_is_a_conversation(
    run: Run, tmp_path: Path, client: Everturn, values: list[Any], id_: str
) -> None:
    _write(tmp_path / "x.jsonl", *values)
    assert f"{id_}: {len(COMPLETIONS)} turns added" in run("import", "x.jsonl").stdout
    kept = [turn.content for turn in client.all_turns(id_)]
    assert kept == COMPLETIONS


def test_text_alone_is_read_as_a_form_that_is_named(
    run: Run, tmp_path: Path, client: Everturn
) -> None:
    _write(tmp_path / "x.json", TEXT)
    run("import", "x.json", "--from", "openai", "--id", "chat")
    assert [turn.content for turn in client.all_turns("chat")] == TEXT


def test_a_file_of_no_known_form_is_refused_with_the_forms_that_are_known(
    run: Run, tmp_path: Path
) -> None:
    _write(tmp_path / "x.json", {"chats": []})
    result = run("import", "x.json")
    assert result.exit_code == 1
    assert (
        "x.json: neither a turn nor something that holds turns position=$,"
        f" --from says what wrote it: {', '.join(FORMATS)}\n"
    ) in result.stderr


def test_a_form_that_is_none_is_wrong_usage(run: Run) -> None:
    result = run("import", "x.json", "--from", "word")
    assert result.exit_code == 2
    assert "everturn, strands, langchain" in result.stderr


@pytest.mark.parametrize("format_", READINGS)
@pytest.mark.parametrize("text", ["", "{", "[{", "7", '"x"', "[7]", '{"a":1}', "[[[]]]", "{}\n{}"])
def test_a_strange_file_ends_in_lines_and_no_trace_whatever_it_is_taken_for(
    run: Run, tmp_path: Path, format_: str, text: str
) -> None:
    (tmp_path / "x.json").write_text(text)
    result = run("import", "x.json", "--from", format_)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""


@pytest.mark.parametrize("form", [None, "openai"])
def test_a_pipe_is_refused_and_not_waited_for(run: Run, tmp_path: Path, form: str | None) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    asked = ["--from", form] if form else []
    result = run("import", str(tmp_path / "pipe.json"), *asked)
    assert result.exit_code == 1
    assert "a pipe or a device is not read" in result.stderr


def test_a_directory_may_hold_files_of_several_forms(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    _write(tmp_path / "in" / "a.json", [chatgpt_export()])
    _write(tmp_path / "in" / "b.json", LANGCHAIN)
    _write(tmp_path / "in" / "c.json", RECORD | {"turns": [{"role": "user", "text": "x"}]})
    result = run("import", "in")
    assert result.exit_code == 0
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == [
        "8f3a2b1c-1111",
        "b",
        "c",
    ]


def test_nothing_that_was_said_is_in_an_error(run: Run, tmp_path: Path) -> None:
    secret = "my password is hunter2"
    broken = chatgpt_export(conversation_id=7, id=None, title=secret)
    _write(tmp_path / "x.json", [broken, claude_export(uuid=None, name=secret)])
    for format_ in READINGS:
        result = run("import", "x.json", "--from", format_)
        assert "hunter2" not in result.output
