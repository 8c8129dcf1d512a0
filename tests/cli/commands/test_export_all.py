"""`export --all` and the import of its file: what goes out comes in again."""

import json
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli.stores import Run, open_store
from everturn.cli.commands.export import export_all
from everturn.cli.main import app
from everturn.cli.output.errors import CliError
from everturn.transfer import export_conversations, export_scope

PRETTY = b'{\n "conversation_id": "p1",\n "turns": [],\n "x_foreign": "a"\n}\n'


TS = "2026-01-01T00:00:00Z"


def _other(tmp_path: Path, *arguments: str) -> str:
    """Run a command on another store."""
    result = CliRunner().invoke(app, [*arguments, "--dir", str(tmp_path / "other")])
    assert result.exit_code == 0, result.output
    return result.stdout


def _fill(run: Run, tmp_path: Path) -> None:
    for text in ("one", "two"):
        assert run("append", "demo", text).exit_code == 0
    run("append", "tenänt/ü", "hello", "--name", "Ann")
    (tmp_path / "p1.json").write_bytes(PRETTY)
    run("import", "p1.json")
    api, _ = open_store(tmp_path / "store")
    for key in ("k", "a/b", ".."):
        path = "/v1/documents/notes/" + key.replace("/", "%2F").replace(".", "%2E")
        api.call("PUT", path, body={"value": {"of": key}})


def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of some 2 KB."""
    monkeypatch.setattr(export_scope, "_MAX_LINES_BYTES", 2_000)
    monkeypatch.setattr(export_conversations, "MAX_PIECE_BYTES", 600)


def test_all_of_a_user_comes_out_and_in_again_and_twice_doubles_nothing(
    run: Run, tmp_path: Path
) -> None:
    _fill(run, tmp_path)
    assert run("export", "--all", "all.ndjson").exit_code == 0
    first = _other(tmp_path, "import", "all.ndjson")
    assert "demo: 2 turns added" in first
    assert "document notes/a/b: added" in first
    again = _other(tmp_path, "import", "all.ndjson")
    assert "demo: 0 turns added, 2 already there" in again
    assert "document notes/a/b: already there" in again
    _other(tmp_path, "export", "--all", "again.ndjson")
    lines, lines_again = (
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]
        for name in ("all.ndjson", "again.ndjson")
    )
    for line in (*lines, *lines_again):
        line.get("document", {}).pop("updated", None)
    assert lines == lines_again
    assert len(lines) == 6
    assert not list(tmp_path.glob("*.part"))


def test_a_conversation_in_many_lines_is_whole_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _long(monkeypatch)
    turns = [{"role": "user", "text": f"{n} {'x' * 90}", "ts": TS} for n in range(60)]
    record = {"conversation_id": "long", "turns": turns, "updated": TS}
    (tmp_path / "long.json").write_text(json.dumps(record | {"x": 1}))
    run("import", "long.json")
    run("append", "z", "after")
    run("export", "--all", "all.ndjson")
    lines = (tmp_path / "all.ndjson").read_text().splitlines()
    assert len(lines) > 5
    assert not [line for line in lines if "next_cursor" in line]
    assert "long: 60 turns added" in _other(tmp_path, "import", "all.ndjson")
    stored = json.loads((tmp_path / "other" / "long.json").read_text())
    assert stored == record | {"x": 1}


def test_a_server_gives_the_same_and_takes_it(run: Run, tmp_path: Path) -> None:
    """Through the API alone, as with `--url`: turns are appended, not stored verbatim."""
    _fill(run, tmp_path)
    api, _ = open_store(tmp_path / "store")
    export_all(api, tmp_path / "all.ndjson")
    run("export", "--all", "direct.ndjson")
    assert (tmp_path / "all.ndjson").read_bytes() == (tmp_path / "direct.ndjson").read_bytes()


def test_it_is_printed_where_the_file_is_a_dash(run: Run) -> None:
    run("append", "demo", "x")
    shown = run("export", "--all", "-")
    assert json.loads(shown.stdout)["conversation_id"] == "demo"


def test_nothing_is_an_empty_file(run: Run, tmp_path: Path) -> None:
    assert run("export", "--all", "all.ndjson").exit_code == 0
    assert (tmp_path / "all.ndjson").read_bytes() == b""


def test_what_cannot_be_read_is_named_and_the_rest_is_there(run: Run, tmp_path: Path) -> None:
    run("append", "demo", "x")
    (tmp_path / "store" / "bad.json").write_text("{")
    result = run("export", "--all", "all.ndjson")
    assert result.exit_code == 1
    assert 'not exported: {"skipped":{"conversation_id":"bad"}}' in result.stderr
    assert "some could not be read skipped=1" in result.stderr
    assert "demo: 1 turns added" in _other(tmp_path, "import", "all.ndjson")


def test_an_export_that_breaks_off_leaves_no_file(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _long(monkeypatch)
    for number in range(40):
        run("append", f"c{number}", "x" * 200)
    pages = iter([None, httpx.Response(503, json={"message": "busy"})])
    api, _ = open_store(tmp_path / "store", lambda _: next(pages))
    with pytest.raises(CliError, match="busy"):
        export_all(api, tmp_path / "all.ndjson")
    assert not (tmp_path / "all.ndjson").exists()


def test_another_server_is_no_everturn(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path / "store", lambda _: httpx.Response(200, text="<html>"))
    with pytest.raises(CliError, match="this is no everturn"):
        export_all(api, tmp_path / "all.ndjson")


def test_it_is_either_one_conversation_or_all(run: Run) -> None:
    for arguments in ([], ["c", "--all", "f"], ["--all", "f", "-o", "g"]):
        assert run("export", *arguments).exit_code == 2


PART = '{"conversation_id":"a","first_turn":0,"turns":[{"role":"user","text":"0"}]}'
LAST = (
    '{"conversation_id":"a","turns":[{"role":"user","text":"1"}],'
    '"updated":"2026-01-01T00:00:00Z","first_turn":1}'
)
GAP = LAST.replace('"first_turn":1', '"first_turn":2')
WHOLE = (
    '{"conversation_id":"w","turns":[{"role":"user","text":"w"}],"updated":"2026-01-01T00:00:00Z"}'
)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((PART,), "a conversation breaks off conversation=a"),
        ((LAST, WHOLE), "the turns before these are missing line=1"),
        ((LAST,), "the turns before these are missing line=1"),
        ((PART, WHOLE), "a conversation breaks off conversation=a"),
        ((PART, PART.replace('"a"', '"b"')), "a conversation breaks off conversation=a"),
        ((PART, GAP), "turns before these are missing line=2"),
        ((PART, LAST.replace('"a"', '"b"')), "turns before these are missing line=2"),
        ((PART, '{"document":{"space":"s","key":"k","value":1}}'), "breaks off"),
        ((PART, "[]"), "no JSON object line=2"),
        ((PART, '{"x":1}'), "no conversation, document or memory line=2"),
        (('{"document":{"space":1,"key":"k","value":1}}',), "a document needs a space"),
        ((WHOLE, '{"turns":[]}'), "line=2"),
    ],
)
def test_a_file_that_is_not_whole_is_refused_where_it_breaks(
    run: Run, tmp_path: Path, lines: tuple[str, ...], fault: str
) -> None:
    (tmp_path / "f.ndjson").write_text("".join(f"{line}\n" for line in lines))
    result = run("import", "f.ndjson")
    assert result.exit_code == 1
    assert fault in result.stderr
    assert not (tmp_path / "store" / "a.json").exists()


def test_a_line_that_begins_again_takes_the_place_of_those_before(run: Run, tmp_path: Path) -> None:
    old = PART.replace('"text":"0"', '"text":"old"')
    (tmp_path / "f.ndjson").write_text(f"{old}\n{PART}\n{LAST}\n")
    assert "a: 2 turns added" in run("import", "f.ndjson").stdout
    turns = json.loads((tmp_path / "store" / "a.json").read_text())["turns"]
    assert [turn["text"] for turn in turns] == ["0", "1"]


def test_a_conversation_that_was_skipped_in_the_end_is_left_out(run: Run, tmp_path: Path) -> None:
    skipped = '{"skipped":{"conversation_id":"a"}}'
    (tmp_path / "f.ndjson").write_text(f"{PART}\n{skipped}\n{WHOLE}\n")
    result = run("import", "f.ndjson")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
    assert 'skipped: the export could not read it {"conversation_id":"a"}\n' in result.stderr


NEXT = '{"next_cursor":"x"}'


@pytest.mark.parametrize("lines", [(NEXT,), (WHOLE, NEXT), (PART, NEXT)])
def test_a_page_that_others_follow_says_that_the_export_goes_on(
    run: Run, tmp_path: Path, lines: tuple[str, ...]
) -> None:
    (tmp_path / "f.ndjson").write_text("".join(f"{line}\n" for line in lines))
    result = run("import", "f.ndjson")
    assert result.exit_code == 1
    assert "error: f.ndjson: this export goes on, take the next page\n" in result.stderr
    assert result.stdout.startswith("w: 1 turns added") == (WHOLE in lines)


def test_pages_that_follow_one_another_are_one_export(run: Run, tmp_path: Path) -> None:
    (tmp_path / "f.ndjson").write_text(f"{PART}\n{NEXT}\n{LAST}\n{NEXT}\n{WHOLE}\n")
    result = run("import", "f.ndjson")
    assert result.exit_code == 0
    assert [line.partition(" turns")[0] for line in result.stdout.splitlines()] == ["a: 2", "w: 1"]


def test_one_that_is_there_otherwise_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    run("append", "w", "something else")
    document = '{"document":{"space":"s","key":"k","value":1}}'
    (tmp_path / "f.ndjson").write_text(f"{WHOLE}\n{PART}\n{LAST}\n{document}\n")
    assert run("import", "f.ndjson").exit_code == 1
    assert (tmp_path / "store" / "a.json").exists()
    (tmp_path / "g.ndjson").write_text(document.replace("1", "2") + "\n")
    result = run("import", "g.ndjson")
    assert "another document is there space=s key=k" in result.stderr
