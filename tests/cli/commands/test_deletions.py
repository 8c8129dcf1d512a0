"""The commands redact, pop, erase and sweep."""

import json
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli.stores import Run, open_store
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock, SeededEntropy, SystemClock
from everturn.cli.commands.erase import _erase
from everturn.cli.main import app
from everturn.cli.output.errors import CliError
from everturn.cli.output.receipts import popped_line, receipt_line
from everturn.values.keys import Scope
from scenarios.process import Process


def test_redact_takes_back_what_a_turn_said(run: Run) -> None:
    run("append", "demo", "secret")
    assert (
        run("redact", "demo", "0", "--text", "(taken back)").stdout == "redacted: turn 0 of demo\n"
    )
    shown = run("show", "demo").stdout
    assert "(taken back)" in shown
    assert "secret" not in shown
    answer = json.loads(run("redact", "demo", "0", "--json").stdout)
    assert (answer["turn_count"], answer["complete"]) == (1, True)
    missing = run("redact", "demo", "7")
    assert (missing.exit_code, "there is no such turn" in missing.stderr) == (1, True)


def test_pop_takes_back_the_newest_turn_and_says_the_count_it_found(run: Run) -> None:
    for text in "abc":
        run("append", "demo", text)
    counted = run("pop", "demo")
    assert counted.stdout == "popped: turn 2 of demo (2 left)\n"
    assert "turns: 3" in counted.stderr
    assert run("pop", "demo", "--expected", "2").stdout == "popped: turn 1 of demo (1 left)\n"
    refused = run("pop", "demo", "--expected", "2")
    assert (refused.exit_code, "code=conflict" in refused.stderr) == (1, True)
    answer = json.loads(run("pop", "demo", "--json").stdout)
    assert (answer["deleted"], answer["turn"]["text"]) == ({"turns": 1}, "a")


def test_erase_asks_somebody_or_is_told_yes(run: Run) -> None:
    run("append", "demo", "secret")
    refused = run("erase")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "nobody is here to ask" in refused.stderr
    assert run("erase", "--yes").stdout == "erased: conversations=1 turns=1\n"
    assert run("erase", "--yes").stdout == "erased: nothing\n"
    assert "no conversations" in run("list").stderr


def test_erase_asks_again_until_all_is_gone(tmp_path: Path, run: Run) -> None:
    run("append", "demo", "x")
    partial = {"deleted": {"conversations": 2}, "complete": False, "remaining": 1}
    answers = iter([httpx.Response(200, json=partial), None])
    api, _ = open_store(tmp_path / "store", lambda _: next(answers))
    deleted, answer = _erase(api)
    assert (deleted["conversations"], deleted["turns"], answer["complete"]) == (3, 1, True)


def test_erase_gives_up_where_nothing_goes_any_more(tmp_path: Path) -> None:
    stuck = {"deleted": {"conversations": 0}, "complete": False, "remaining": 1}
    api, transport = open_store(tmp_path / "store", lambda _: httpx.Response(200, json=stuck))
    with pytest.raises(CliError, match="not all is erased"):
        _erase(api)
    assert len(transport.sent) == 3


def test_sweep_says_what_went_by_the_times_of_the_files(run: Run, tmp_path: Path) -> None:
    run("append", "demo", "x")
    api, _ = open_store(tmp_path / "store")
    api.call("POST", "/v1/conversations", body={"conversation_id": "empty"})
    assert run("sweep").stdout == "swept: nothing\n"
    _store_in(tmp_path / "other", days_ago=2).create("old")
    result = CliRunner().invoke(app, ["sweep", "--dir", str(tmp_path / "other")])
    assert result.stdout == "swept: empty=1 heads_read=1\n"
    assert (tmp_path / "store" / "empty.json").exists()
    assert not (tmp_path / "other" / "old.json").exists()


def test_sweep_lets_expire_what_it_is_told(run: Run, tmp_path: Path) -> None:
    _store_in(tmp_path / "store", days_ago=40).append("x", to="old")
    assert "expired" not in run("sweep").stdout
    assert "expired=1" in run("sweep", "--idle-days", "30").stdout
    assert "no conversations" in run("list").stderr


def _store_in(directory: Path, *, days_ago: int) -> Process:
    """A process that writes into this directory, at a time that is past."""
    clock = ManualClock(SystemClock().now_ns() - days_ago * 86_400 * 10**9)
    store = DirectoryStore(directory, clock=clock)
    return Process(store, clock, SeededEntropy("past"), store, scope=Scope("local", "local"))


def test_sweep_goes_to_no_server(tmp_path: Path) -> None:
    wrong = CliRunner().invoke(app, ["sweep", "--idle-days", "-1", "--dir", str(tmp_path)])
    assert wrong.exit_code == 2
    result = CliRunner().invoke(app, ["sweep", "--url", "http://127.0.0.1:9"])
    assert (result.exit_code, "a server sweeps its own store" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("receipt", "line"),
    [
        ({"deleted": {"turns": 0, "segments": 0}, "complete": True}, "turns=0"),
        ({"deleted": {"turns": 2, "vectors": 3}, "complete": True}, "turns=2 vectors=3"),
        (
            {"deleted": {"turns": 2}, "complete": False},
            "turns=2 (not complete: run it again, or leave it to the sweep)",
        ),
        (
            {
                "deleted": {"turns": 2}, "complete": True,
                "noncurrent_versions": {"days": 7, "gone": "2026-01-09T00:00:00Z"},
            },
            "turns=2 (the bucket keeps the old versions until 2026-01-09 00:00:00)",
        ),
    ],
)  # fmt: skip
def test_a_receipt_is_one_line(receipt: dict[str, object], line: str) -> None:
    assert receipt_line(receipt) == line


def test_a_pop_that_is_not_complete_does_not_ask_to_be_run_again() -> None:
    """Popping again would take another turn."""
    answer = {"conversation_id": "c", "turn_count": 4, "complete": False}
    line = popped_line(answer)
    assert line.startswith("popped: turn 4 of c (4 left) (not complete: `everturn sweep` removes")
    assert "run it again" not in line
    assert popped_line(answer | {"complete": True}) == "popped: turn 4 of c (4 left)"
