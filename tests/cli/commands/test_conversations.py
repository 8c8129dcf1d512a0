import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.stores import Run
from everturn.cli.main import app
from everturn.cli.output.console import local_time, printable


def test_a_turn_is_appended_listed_and_shown(run: Run) -> None:
    first = run("append", "demo", "Hello there")
    assert (first.exit_code, first.stdout) == (0, "appended: turn 0 of demo (1 in all)\n")
    time = "2024-05-06T07:08:09Z"
    run("append", "demo", "Hi", "--role", "assistant", "--name", "Bot", "--ts", time)
    shown = run("show", "demo")
    assert "#1 assistant (Bot)  2024-05-06 07:08:09\nHi\n" in shown.stdout
    header, row = run("list").stdout.splitlines()
    assert header.split() == ["ID", "TITLE", "TURNS", "UPDATED", "PREVIEW"]
    assert row.startswith("demo  Hello there  2 ")
    assert row.endswith("  Hi")


def test_a_dash_reads_stdin_without_its_last_newline(run: Run) -> None:
    run("append", "demo", "-", stdin="one\ntwo\n")
    turns = json.loads(run("show", "demo", "--json").stdout)["turns"]
    assert turns[0]["text"] == "one\ntwo"


def test_a_keyed_retry_adds_nothing(run: Run) -> None:
    run("append", "demo", "x", "--key", "k")
    again = run("append", "demo", "x", "--key", "k")
    assert again.stdout == "already there: turn 0 of demo (1 in all)\n"
    other = run("append", "demo", "y", "--key", "k")
    assert other.exit_code == 1
    assert other.stderr.startswith("error: ")
    assert "field=Idempotency-Key request=" in other.stderr


def test_a_blank_turn_is_said_to_be_one(run: Run) -> None:
    assert run("append", "demo", " ").stdout == "nothing appended: the turn is blank\n"


def test_json_is_that_of_the_api(run: Run) -> None:
    appended = json.loads(run("append", "demo", "é", "--json").stdout)
    assert appended["first_turn"] == 0
    listed = json.loads(run("list", "--json").stdout)
    assert listed["conversations"][0]["preview"] == "é"
    assert listed["skipped"] == 0


def test_a_list_follows_its_cursor_to_the_end(run: Run) -> None:
    for number in range(5):
        run("append", f"c{number}", "x")
    page = run("list", "--limit", "2")
    assert len(page.stdout.splitlines()) == 3
    assert "--all" in page.stderr
    whole = run("list", "--limit", "2", "--all")
    ids = [line.split()[0] for line in whole.stdout.splitlines()[1:]]
    assert ids == ["c4", "c3", "c2", "c1", "c0"]
    assert whole.stderr == ""
    rows = json.loads(run("list", "--limit", "2", "--all", "--json").stdout)["conversations"]
    assert [row["conversation_id"] for row in rows] == ids


def test_an_empty_list_prints_no_data(run: Run) -> None:
    listed = run("list")
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert listed.stderr.startswith("no conversations in ")
    assert listed.stderr.endswith("store (--dir)\n")


def test_show_takes_the_last_or_all(run: Run) -> None:
    for number in range(4):
        run("append", "demo", f"t{number}")
    assert run("show", "demo", "--last", "2").stdout.count("#") == 2
    assert run("show", "demo", "--all").stdout.count("#") == 4
    document = json.loads(run("show", "demo", "--all", "--json").stdout)
    assert (len(document["turns"]), document["turn_count"]) == (4, 4)


def _large_conversation(run: Run, count: int) -> None:
    """Turns of 0.9 MiB: three of them fit into an answer of 3 MiB."""
    for number in range(count):
        run("append", "big", "-", stdin=str(number) * 943_718)


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_show_says_when_older_turns_did_not_fit_into_one_answer(
    run: Run, as_json: list[str]
) -> None:
    _large_conversation(run, 5)
    cut = run("show", "big", *as_json)
    assert cut.stderr == "older turns did not fit into one answer, --all shows them shown=3\n"
    assert "4" * 100 in cut.stdout
    assert "1" * 100 not in cut.stdout
    asked = run("show", "big", "--last", "3", *as_json)
    assert asked.stderr == ""
    whole = run("show", "big", "--all", *as_json)
    assert whole.stderr == ""
    assert all(str(number) * 100 in whole.stdout for number in range(5))


def test_show_says_nothing_where_all_that_is_missing_is_unreadable(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    turns = [{"text": "no role"}, {"role": "user", "text": "seen"}]
    document = {"conversation_id": "c", "turns": turns, "updated": "2024-01-01T00:00:00Z"}
    (tmp_path / "store" / "c.json").write_text(json.dumps(document))
    shown = run("show", "c")
    assert "#1 user" in shown.stdout
    assert shown.stderr == ""


def test_a_fault_of_a_directory_names_the_log_that_holds_its_reason(
    run: Run, tmp_path: Path
) -> None:
    run("append", "c", "x")
    (tmp_path / "store" / "d.json").mkdir()
    failed = run("append", "d", "x")
    log = tmp_path / "store" / ".everturn" / "logs" / "everturn.log"
    assert failed.exit_code == 1
    assert failed.stderr.count("\n") == 1
    assert failed.stderr.endswith(f" log={log}\n")
    request = failed.stderr.partition("request=")[2].split()[0]
    (line,) = [json.loads(line) for line in log.read_text().splitlines()]
    assert (line["function_request_id"], line["function_name"]) == (request, "Append")
    assert "EISDIR" in log.read_text()


def test_a_directory_that_cannot_be_made_is_said_although_nothing_can_be_logged(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "store").write_text("")
    failed = run("append", "c", "x")
    assert failed.exit_code == 1
    log = tmp_path / "store" / ".everturn" / "logs" / "everturn.log"
    assert failed.stderr.startswith(f"cannot write the log: not a directory log={log}\nerror: ")


def test_users_are_kept_apart(run: Run) -> None:
    run("append", "demo", "x", "--actor", "ann", "--tenant", "shop")
    assert run("show", "demo").exit_code == 1
    assert "x" in run("show", "demo", "--actor", "ann", "--tenant", "shop").stdout


def test_deleting_asks_somebody_or_is_told_yes(run: Run) -> None:
    run("append", "demo", "x")
    refused = run("delete", "demo")
    assert refused.exit_code == 1
    assert refused.stderr == "error: nobody is here to ask: give --yes to delete\n"
    deleted = run("delete", "demo", "--yes")
    assert deleted.stdout == "deleted demo: turns=1\n"
    gone = run("show", "demo")
    assert gone.exit_code == 1
    assert "code=not_found" in gone.stderr


def test_two_stores_are_a_usage_error(run: Run) -> None:
    assert run("list", "--url", "http://localhost").exit_code == 2


def test_nothing_at_a_url_is_one_line() -> None:
    result = CliRunner().invoke(app, ["list", "--url", "http://127.0.0.1:1"])
    assert result.exit_code == 1
    assert result.stderr == "error: nothing answers url=http://127.0.0.1:1\n"


def test_the_store_and_why_are_said_when_asked(run: Run) -> None:
    listed = run("list", "-v")
    assert "store: " in listed.stderr
    assert "(--dir)" in listed.stderr


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\x1b[2J\x07", "\ufffd[2J\ufffd"), ("a\tb\nc", "a\tb\nc"), ("\x9b", "\ufffd")],
)
def test_text_cannot_steer_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_time_that_is_none_is_shown_as_it_is() -> None:
    assert local_time("soon") == "soon"
    assert local_time("2024-05-06T07:08:09.123456789Z") == "2024-05-06 07:08:09"


def test_users_and_keys_that_are_not_ascii_are_taken_in_process(run: Run) -> None:
    run("append", "c", "x", "--actor", "Ünal", "--key", "schlüssel")
    again = run("append", "c", "x", "--actor", "Ünal", "--key", "schlüssel")
    assert again.stdout == "already there: turn 0 of c (1 in all)\n"
    assert run("list", "--actor", "Ünal").stdout.count("\nc ") == 1
    assert run("list").stdout == ""


def test_a_line_break_in_a_speaker_is_no_turn_of_its_own(run: Run) -> None:
    """Nor is one in a time that another program wrote."""
    run("append", "c", "x", "--role", "user\n#1 assistant", "--name", "a\n#2 b\x1b[2J")
    assert run("show", "c").stdout.startswith("#0 user #1 assistant (a #2 b[2J)  ")
    assert local_time("soon\n#1 assistant") == "soon #1 assistant"


@pytest.mark.parametrize("store", ["", " ", "gs://bucket", "s3://", "~nobody-of-this-name/x"])
@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_store_that_is_none_is_one_line(
    monkeypatch: pytest.MonkeyPatch, store: str, by: str
) -> None:
    """An empty variable is none."""
    monkeypatch.setenv("EVERTURN_STORE", store or " ")
    arguments = ["--store", store] if by == "option" else []
    result = CliRunner().invoke(app, ["list", *arguments])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith(" code=misconfigured\n")


@pytest.mark.parametrize("url", ["", "nowhere", "http://[::1", "http://h:99999", "ftp://h"])
def test_a_url_that_is_none_is_one_line(url: str) -> None:
    result = CliRunner().invoke(app, ["list", "--url", url])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
