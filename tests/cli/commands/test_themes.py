"""The command themes: what it asks for, and what a person sees."""

import json

import pytest

from cli.stores import Run


@pytest.fixture
def filled(run: Run) -> Run:
    """One conversation about one thing."""
    for day, text in enumerate(("flight to Lisbon", "the flight's gate", "flight at noon"), 1):
        run("append", "trip", text, "--ts", f"2026-02-0{day}T10:00:00Z")
    return run


def test_a_theme_is_shown_with_share_terms_span_and_turns(filled: Run) -> None:
    shown = filled("themes", "--k", "1")
    head, first, text, *_ = shown.stdout.splitlines()
    assert shown.exit_code == 0
    assert head.startswith("100%  ")
    assert "flight" in head.split("  ")[1].split(" · ")
    assert head.endswith("  2026-02-01 10:00 to 2026-02-03 10:00")
    assert first.startswith("-  trip #")
    assert "flight" in text
    assert shown.stderr == "searched: 1 conversation, 3 turns\n"


def test_json_is_that_of_the_api_and_a_window_is_said_aside(filled: Run) -> None:
    shown = filled("themes", "--json", "--since", "2026-02-02", "--until", "2026-02-03")
    turns = [turn for theme in json.loads(shown.stdout)["themes"] for turn in theme["turns"]]
    assert {turn["index"] for turn in turns} <= {1}
    assert shown.stderr == "from 2026-02-02 00:00 to 2026-02-03 00:00 (UTC)\n"


def test_nothing_prints_no_data(run: Run) -> None:
    shown = run("themes")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert shown.stderr == "no themes\nsearched: 0 conversations, 0 turns\n"


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    [(["--k", "0"], 2, "--k"), (["--since", "soon"], 1, "field=since"), (["gate"], 2, "gate")],
)
def test_what_cannot_be_meant_is_refused(
    run: Run, options: list[str], code: int, reason: str
) -> None:
    refused = run("themes", *options)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr
