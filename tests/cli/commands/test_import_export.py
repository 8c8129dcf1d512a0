import io
import json
import shutil
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli.stores import Run, open_store
from everturn.cli.commands.export import _document, _print
from everturn.cli.main import app

RECORD = (
    b'{"conversation_id":"p1","title":"A \\u0026 B","turns":[{"role":"user","text":"one",'
    b'"ts":"2024-01-02T03:04:05.5Z"}],"updated":"2024-01-02T03:04:05.5Z","x_foreign":{"a":1}}\n'
)


def test_a_plain_file_is_stored_verbatim_and_comes_out_the_same(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_bytes(RECORD)
    first = run("import", "p.json")
    assert first.stdout == "p1: 1 turns added, 0 already there, 0 clamped, 0 ignored\n"
    assert (tmp_path / "store" / "p1.json").read_bytes() == RECORD
    assert run("import", "p.json").stdout.startswith("p1: 0 turns added, 1 already there")
    assert run("export", "p1").stdout_bytes == RECORD
    run("export", "p1", "-o", "out.json")
    assert (tmp_path / "out.json").read_bytes() == RECORD


def test_turns_that_cannot_be_read_are_imported_verbatim_and_left_out_of_what_is_shown(
    run: Run, tmp_path: Path
) -> None:
    document = json.loads(RECORD) | {"turns": [{"role": "user"}, {"role": "user", "text": "two"}]}
    (tmp_path / "p.json").write_text(json.dumps(document))
    imported = run("import", "p.json")
    assert (imported.exit_code, imported.stdout) == (
        0,
        "p1: 2 turns added, 0 already there, 0 clamped, 0 ignored\n",
    )
    assert (tmp_path / "store" / "p1.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    assert run("show", "p1").stdout.startswith("#1 user")


def test_a_file_without_a_time_of_its_last_write_keeps_its_title_and_bytes(
    run: Run, tmp_path: Path
) -> None:
    document = json.loads(RECORD)
    del document["updated"]
    (tmp_path / "p.json").write_text(json.dumps(document))
    assert run("import", "p.json").exit_code == 0
    assert (tmp_path / "store" / "p1.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    assert "A & B" in run("list").stdout


def test_the_file_of_a_deleted_conversation_is_refused_and_appends_go_on(
    run: Run, tmp_path: Path
) -> None:
    run("append", "p1", "x")
    run("delete", "p1", "--yes")
    (tmp_path / "store" / "p1.json").rename(tmp_path / "p.json")
    refused = run("import", "p.json")
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert "left of a deleted conversation conversation=p1\n" in refused.stderr
    assert run("append", "p1", "y").exit_code == 0


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "document", "written"),
    [
        (_Terminal, b"{}", b"{}\n"),
        (_Terminal, b"{}\n", b"{}\n"),
        (io.TextIOWrapper, b"{}", b"{}"),
    ],
)
def test_an_export_ends_its_line_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch,
    kind: type[io.TextIOWrapper],
    document: bytes,
    written: bytes,
) -> None:
    stream = kind(io.BytesIO())
    monkeypatch.setattr("sys.stdout", stream)
    _print(document)
    assert stream.buffer.getvalue() == written  # type: ignore[attr-defined]  # a BytesIO


def test_a_plain_file_that_grew_adds_its_new_turns(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_bytes(RECORD)
    run("import", "p.json")
    record = json.loads(RECORD)
    record["turns"].append({"role": "user", "text": "two", "ts": "2024-01-03T00:00:00Z"})
    (tmp_path / "p.json").write_text(json.dumps(record))
    assert run("import", "p.json").stdout.startswith("p1: 1 turns added, 1 already there")
    record["turns"][0]["text"] = "changed"
    (tmp_path / "p.json").write_text(json.dumps(record))
    assert "other turns than the file" in run("import", "p.json").stderr


def test_a_plain_file_goes_to_the_user_that_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_bytes(RECORD)
    run("import", "p.json", "--actor", "ann")
    assert run("show", "p1").exit_code == 1
    assert "one" in run("show", "p1", "--actor", "ann").stdout


def test_the_other_files_of_a_directory_go_on_after_an_unreadable_one(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_text("{")
    (folder / "b.jsonl").write_text('{"role":"user","text":"x"}')
    (folder / "c.json").write_bytes(RECORD)
    result = run("import", "in")
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["b", "p1"]
    assert "error: in/a.json: neither JSON nor JSON lines line=1\n" in result.stderr
    assert result.stderr.endswith("error: some files were not imported failed=1 files=3\n")


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    result = run("import", "nowhere.json")
    assert result.exit_code == 1
    assert "error: nowhere.json: no such file or directory" in result.stderr


def test_a_conversation_too_large_for_one_answer_is_put_together_from_pages_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse_export(request: httpx.Request) -> httpx.Response | None:
        if request.url.path.endswith("/export"):
            error = {"code": "too_large", "message": "read it by pages"}
            return httpx.Response(413, json={"error": error})
        return None

    api, _ = open_store(tmp_path, refuse_export)
    api.call("POST", "/v1/conversations", body={"conversation_id": "c", "folder": "f"})
    turns = [{"role": "user", "text": f"t{i}", "ts": "2024-01-01T00:00:00Z"} for i in range(3)]
    for turn in turns:
        api.call("POST", "/v1/conversations/c/turns", body={"turns": [turn]})
    document = json.loads(_document(api, "c"))
    assert "put together from pages" in capsys.readouterr().err
    assert document["turns"] == turns
    assert list(document) == ["conversation_id", "title", "turns", "updated", "folder"]


def test_a_long_public_conversation_is_imported_listed_and_shown(
    run: Run, tmp_path: Path, public_data: Path
) -> None:
    shutil.copy(public_data / "beam100k" / "1.chat.json", tmp_path / "beam.json")
    added = run("import", "beam.json", "--id", "beam")
    assert added.stdout == "beam: 188 turns added, 0 already there, 0 clamped, 0 ignored\n"
    assert run("import", "beam.json", "--id", "beam").stdout.startswith("beam: 0 turns added, 188")
    row = run("list").stdout.splitlines()[1]
    assert row.startswith("beam  I'm working on a project")
    assert "  188  " in row
    assert run("show", "beam", "--last", "16").stdout.count("\n#187 assistant") == 1


def test_a_bad_id_is_the_error_of_the_api(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"role":"user","text":"x"}')
    result = run("import", "x.jsonl", "--id", "a\nb")
    assert result.exit_code == 1
    assert "code=invalid_request" in result.stderr


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_need_no_store(option: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [option])
    assert result.exit_code == 0
    assert result.stdout.startswith(("everturn 0.", "Usage: "))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"role":null,"text":"a"}',
        '{"role":"user","content":' + "[" * 900 + "]" * 900 + "}",
        '{"conversation_id":"\\ud800","messages":[{"role":"user","text":"a"}]}',
        '{"role":"user","text":"a","conversation_id":"\\ud800"}\n' * 2,
        '{"conversation_id":"\\ud800","turns":[{"role":"user","text":"a"}],"updated":""}',
        '{"conversation_id":"c","turns":[],"updated":"","x":' + "[" * 900 + "]" * 900 + "}",
    ],
)
@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_a_strange_file_ends_in_lines_and_no_trace(
    run: Run, tmp_path: Path, text: str, name: str
) -> None:
    """A record with strange fields of its own may be stored all the same."""
    (tmp_path / name).write_text(text)
    result = run("import", name)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if result.exit_code:
        assert result.stdout == ""
        assert [line.partition(": ")[0] for line in result.stderr.splitlines()[1:]] == [
            "error",
            "error",
        ]
    else:
        assert '"x":' in text


def test_an_export_above_three_mebibytes_is_the_stored_file(run: Run, tmp_path: Path) -> None:
    turn = {"role": "user", "text": "x" * 900_000, "ts": "2024-01-01T00:00:00Z"}
    document = json.loads(RECORD) | {"turns": [turn] * 5}
    (tmp_path / "p.json").write_text(json.dumps(document, indent=1))
    assert run("import", "p.json").exit_code == 0
    exported = run("export", "p1")
    assert exported.stdout_bytes == (tmp_path / "p.json").read_bytes()
    assert exported.stderr == ""


@pytest.mark.parametrize(("name", "code"), [("none", "not_found"), ("a\nb", "invalid_request")])
def test_an_export_of_nothing_is_one_line(run: Run, name: str, code: str) -> None:
    result = run("export", name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert f"code={code}" in result.stderr


def test_an_export_is_that_of_the_user_named(run: Run) -> None:
    run("append", "c", "x", "--actor", "Ünal")
    assert run("export", "c").exit_code == 1
    assert json.loads(run("export", "c", "--actor", "Ünal").stdout)["turns"][0]["text"] == "x"
