"""The command recall: what it asks for, and what a person sees."""

import json

import pytest

from cli.stores import Run
from everturn.cli.target import window_options
from everturn.values.timestamps import parse_time

# A Wednesday.
NOW = "2026-03-04T12:00:00Z"


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_options, "_now_ns", lambda: parse_time(NOW))


@pytest.fixture
def filled(run: Run) -> Run:
    """Two conversations of three days."""
    for id_, role, ts, text in (
        ("trip", "user", "2026-02-25T10:00:00Z", "When do I fly to Lisbon?"),
        ("trip", "assistant", "2026-02-25T10:00:05Z", "On Friday, gate B12."),
        ("food", "user", "2026-03-03T23:30:00Z", "A table at the gate house."),
    ):
        run("append", id_, text, "--role", role, "--ts", ts)
    return run


def test_a_hit_is_shown_with_its_score_number_role_and_time(filled: Run) -> None:
    shown = filled("recall", "trip", "which gate", "--top-k", "1")
    assert (shown.exit_code, shown.stderr) == (0, "")
    score, rest = shown.stdout.split("  ", 1)
    assert 0 < float(score) <= 1
    assert rest == "#1  assistant  2026-02-25 10:00:05\nOn Friday, gate B12.\n\n"


def test_all_conversations_are_searched_if_asked_and_each_hit_names_its_own(filled: Run) -> None:
    shown = filled("recall", "--all", "gate")
    lines = shown.stdout.splitlines()[::3]
    assert {line.split("  ")[1] for line in lines} >= {"trip #1", "food #0"}
    assert shown.stderr == "searched: 2 conversations, 3 turns\n"


def test_neighbours_stand_around_their_hit_in_order(filled: Run) -> None:
    shown = filled("recall", "trip", "Lisbon", "--top-k", "1", "--neighbours", "1", "--explain")
    lines = shown.stdout.splitlines()
    assert lines[0].endswith("  #0  user  2026-02-25 10:00:00")
    assert lines[3] == "  -    #1  assistant  2026-02-25 10:00:05"
    assert "lexical 1.000" in lines[6]


CHOSEN: list[tuple[list[str], list[int]]] = [
    (["--role", "assistant"], [1]),
    (["--role", "user", "--role", "tool"], [0]),
    (["--exclude-last", "1"], [0]),
    (["--since", "2026-02-25T10:00:05Z"], [1]),
    (["--during", "last week"], [0, 1]),
    (["--until", "2026-02-25"], []),
    (["--min-score", "1"], []),
]


@pytest.mark.parametrize(("options", "found"), CHOSEN)
def test_options_choose_turns(filled: Run, options: list[str], found: list[int]) -> None:
    query = "fly to Lisbon on Friday from a gate of zinc"
    shown = filled("recall", "trip", query, "--json", *options)
    hits = json.loads(shown.stdout)["hits"]
    assert sorted(hit["index"] for hit in hits) == found


def test_a_window_is_said(filled: Run) -> None:
    shown = filled("recall", "trip", "Lisbon", "--during", "last week")
    assert shown.stderr == "from 2026-02-23 00:00 to 2026-03-02 00:00 (UTC)\n"


NOTED: list[tuple[list[str], list[str]]] = [
    (["trip", "chromodynamics"], ["nothing found"]),
    (["trip", " "], ["nothing found", "degraded: nothing was asked"]),
    (["--all", " "], ["nothing found", "degraded: nothing was asked"]),
    (
        ["trip", "Lisbon zirconium", "--min-score", "1"],
        ["nothing found", "filtered: 2 below --min-score"],
    ),
    (
        ["trip", "Lisbon", "--budget", "1"],
        ["over budget: not even the best one fits, it is shown alone"],
    ),
]


@pytest.mark.parametrize(("arguments", "notes"), NOTED)
def test_what_is_lacking_is_said_aside(filled: Run, arguments: list[str], notes: list[str]) -> None:
    shown = filled("recall", *arguments)
    assert shown.exit_code == 0
    assert shown.stderr.splitlines() == notes


def test_a_turn_cannot_pass_for_two(run: Run) -> None:
    run("append", "c", "fish\x1b[2J", "--role", "user\n1.000", "--name", "a\nb")
    shown = run("recall", "--all", "fish")
    assert "\x1b" not in shown.stdout
    assert len(shown.stdout.splitlines()) == 3


REFUSED: list[tuple[list[str], int, str]] = [
    (["trip"], 2, "an ID and a QUERY"),
    (["trip", "which", "gate"], 2, "in quotes"),
    (["--all", "trip", "gate"], 2, "a QUERY alone"),
    (["trip", "gate", "--min-score", "2"], 2, "--min-score"),
    (["trip", "gate", "--top-k", "0"], 2, "--top-k"),
    (["nowhere", "gate"], 1, "code=not_found"),
    (["trip", "gate", "--since", "soon"], 1, "field=since"),
    (["trip", "gate", "--role", " "], 1, "field=roles.0"),
    (["--all", "gate", "--exclude-last", "1"], 1, "field=exclude_last"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    filled: Run, arguments: list[str], code: int, reason: str
) -> None:
    refused = filled("recall", *arguments)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr
