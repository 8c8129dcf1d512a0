"""The commands correct, forget and pin."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.stores import Run

STATEMENT = "The deploy port is 8080."


@pytest.fixture
def rid(run: Run) -> str:
    """A fact."""
    return str(json.loads(run("remember", STATEMENT, "--json").stdout)["memory"]["id"])


def _memory(run: Run, rid: str) -> dict[str, Any]:
    return dict(json.loads(run("memories", rid, "--json").stdout)["memory"])


def test_a_correction_says_what_replaces_what(run: Run, rid: str) -> None:
    done = run("correct", rid, "The deploy port is 9090.", "--since", "2026-03-01")
    new = _memory(run, rid)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"corrected: fact {new['id']} replaces {rid}\n"
    assert (new["statement"], new["valid_from"]) == (
        "The deploy port is 9090.", "2026-03-01T00:00:00Z",
    )  # fmt: skip
    assert run("retrieve", "deploy port").stdout.count("The deploy port is") == 1


def test_what_it_is_about_stays_where_only_its_weight_is_corrected(run: Run, rid: str) -> None:
    assert run("correct", rid, "--importance", "9").stdout == f"corrected: fact {rid}\n"
    memory = _memory(run, rid)
    assert (memory["statement"], memory["importance"]) == (STATEMENT, 9)


def test_a_pattern_is_corrected_by_its_options(run: Run) -> None:
    done = run("remember", "--name", "Deploy", "--step", "tag it", "--json")
    rid = json.loads(done.stdout)["memory"]["id"]
    done = run("correct", rid, "--name", "Deploy", "--step", "tag it", "--step", "push it")
    assert done.stdout == f"corrected: pattern {rid}\n"
    assert _memory(run, rid)["spec"]["steps"] == ["tag it", "push it"]


def test_forget_asks_somebody_or_is_told_yes_and_leaves_no_text(
    run: Run, rid: str, tmp_path: Path
) -> None:
    refused = run("forget", rid)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "nobody is here to ask: give --yes" in refused.stderr
    done = run("forget", rid, "--yes")
    assert (done.stdout, done.stderr) == ("forgotten: memories=1\n", "")
    gone = run("forget", rid, "--yes")
    assert (gone.exit_code, "code=not_found" in gone.stderr) == (1, True)
    files = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert not [path for path in files if b"8080" in path.read_bytes()]


def test_a_pin_goes_in_and_out(run: Run, rid: str) -> None:
    assert run("pin", rid).stdout == f"pinned: fact {rid}\n"
    assert _memory(run, rid)["pinned"] is True
    assert run("pin", f"everturn://memory/fact/{rid}", "--off").stdout == f"unpinned: fact {rid}\n"
    assert _memory(run, rid)["pinned"] is False


def test_json_is_that_of_the_api(run: Run, rid: str) -> None:
    assert json.loads(run("pin", rid, "--json").stdout)["memory"]["pinned"] is True
    answer = json.loads(run("correct", rid, "Now 9090.", "--json").stdout)
    assert answer["superseded"] == rid
    assert json.loads(run("forget", rid, "--yes", "--json").stdout)["complete"] is True


REFUSED: list[tuple[list[str], int, str]] = [
    (["correct", "0" * 32], 2, "give a STATEMENT"),
    (["correct", "0" * 32, "x", "--step", "y"], 2, "the options of a pattern"),
    (["correct", "0" * 32, "x"], 1, "code=not_found"),
    (["correct", "0" * 32, "x", "--since", "soon"], 1, "field=since"),
    (["forget", "0" * 32, "--yes"], 1, "code=not_found"),
    (["forget", "", "--yes"], 1, "code=not_found"),
    (["pin", "0" * 32], 1, "code=not_found"),
    (["pin"], 2, "RID"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    run: Run, arguments: list[str], code: int, reason: str
) -> None:
    refused = run(*arguments)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr
