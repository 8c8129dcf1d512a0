"""The command retrieve: what it asks for, and what a person sees."""

import json
import re

import pytest

from cli.stores import Run
from everturn.cli.target import window_options
from everturn.values.timestamps import parse_time


@pytest.fixture
def filled(run: Run) -> Run:
    """A fact that another one replaced, a preference, and a conversation."""
    done = run("remember", "The deploy port is 8080.", "--since", "2026-01-01", "--json")
    rid = json.loads(done.stdout)["memory"]["id"]
    run("correct", rid, "The deploy port is 9090.", "--since", "2026-03-01")
    run("remember", "Tea at five.", "--kind", "preference")
    return run


def _texts(run: Run, *arguments: str) -> list[str]:
    done = run("retrieve", *arguments, "--json")
    assert done.exit_code == 0, done.output
    return [snippet["text"] for snippet in json.loads(done.stdout)["snippets"]]


def test_a_memory_is_shown_with_score_kind_and_uri(filled: Run) -> None:
    shown = filled("retrieve", "deploy port", "--top-k", "1")
    head, text, end = shown.stdout.splitlines()
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert re.fullmatch(r"[01]\.\d{3}  fact  everturn://memory/fact/[0-9a-f]{32}", head)
    assert (text, end) == ("The deploy port is 9090. (since 2026-03-01)", "")


def test_what_held_before_is_found_as_of_then(filled: Run) -> None:
    assert _texts(filled, "deploy port", "--as-of", "2026-02-01", "--top-k", "1") == [
        "The deploy port is 8080. (since 2026-01-01)"
    ]


def test_options_choose_memories(filled: Run) -> None:
    assert _texts(filled, "--kind", "preference") == ["Tea at five."]
    assert len(_texts(filled, "--kind", "preference", "--kind", "fact")) == 2
    assert len(_texts(filled, "--top-k", "1")) == 1
    assert _texts(filled, "deploy port", "--min-score", "1") == []


def test_what_was_said_lately_is_found_and_that_it_is_not_read_yet_is_said(run: Run) -> None:
    run("append", "chat", "The wifi password is swordfish.")
    shown = run("retrieve", "wifi password")
    head, text, *_ = shown.stdout.splitlines()
    assert head.endswith("  turn  everturn://turn/chat/0")
    assert "swordfish" in text
    assert shown.stderr == "pending: 1 turn not consolidated into memories yet\n"


def test_the_lanes_of_a_memory_are_shown_if_asked(filled: Run) -> None:
    lines = filled("retrieve", "deploy port", "--top-k", "1", "--explain").stdout.splitlines()
    assert re.search(r"^[a-z]+ \d\.\d{3}(, [a-z]+ \d\.\d{3})*$", lines[3])


NOTED: list[tuple[list[str], list[str]]] = [
    (["tea of zinc", "--min-score", "1"], ["nothing found", "filtered: 1 below --min-score"]),
    (["tea", "--kind", "goal"], ["nothing found"]),
    (
        ["tea", "--budget", "1"],
        ["over budget: not even the best one fits, it is shown alone"],
    ),
    (
        ["tea", "--during", "2020", "--tz", "UTC"],
        ["from 2020-01-01 00:00 to 2021-01-01 00:00 (UTC)", "nothing found"],
    ),
]


@pytest.mark.parametrize(("arguments", "notes"), NOTED)
def test_what_is_lacking_is_said_aside(filled: Run, arguments: list[str], notes: list[str]) -> None:
    shown = filled("retrieve", *arguments)
    assert (shown.exit_code, shown.stderr.splitlines()) == (0, notes)


def test_as_of_is_a_time_in_words_too(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_options, "_now_ns", lambda: parse_time("2026-03-10T12:00:00Z"))
    (old,) = _texts(filled, "deploy port", "--as-of", "last month", "--top-k", "1")
    assert "8080" in old


def test_text_of_a_memory_moves_no_cursor(run: Run) -> None:
    run("remember", "fish\x1b[2J\n1.000  fact  everturn://memory/fact/fake")
    shown = run("retrieve", "fish")
    assert "\x1b" not in shown.stdout
    assert len(shown.stdout.splitlines()) == 3


REFUSED: list[tuple[list[str], int, str]] = [
    (["tea", "--top-k", "0"], 2, "--top-k"),
    (["tea", "--min-score", "2"], 2, "--min-score"),
    (["tea", "five"], 2, "five"),
    (["tea", "--kind", "thing"], 1, "field=kinds"),
    (["tea", "--as-of", "soon"], 1, "field=as_of"),
    (["tea", "--since", "soon"], 1, "field=since"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    filled: Run, arguments: list[str], code: int, reason: str
) -> None:
    refused = filled("retrieve", *arguments)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr
