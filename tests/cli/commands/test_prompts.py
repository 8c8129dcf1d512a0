"""The commands pinned, procedural and context: their text on stdout, all else aside."""

import json
from pathlib import Path

import pytest

from cli.stores import Run

FRAME = ("<recalled_memory>\n", "</recalled_memory>\n")


def _framed(text: str) -> bool:
    return text.startswith(FRAME[0]) and text.endswith(FRAME[1])


@pytest.fixture
def told(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """An agent with an identity, rules, a constraint and a profile."""
    rules = tmp_path / "rules.txt"
    rules.write_text("# ours\nNever share keys.\n")
    monkeypatch.setenv("EVERTURN_IDENTITY", "You are Otto.")
    monkeypatch.setenv("EVERTURN_RULES_FILE", str(rules))
    run("remember", "Answer in English.", "--kind", "constraint", "--hard")
    run("remember", "Drinks tea.", "--kind", "preference")
    return run


def test_pinned_is_ready_for_a_prompt(told: Run) -> None:
    shown = told("pinned", "--goal", "Ship it")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert _framed(shown.stdout)
    parts = ("You are Otto.", "Never share keys.", "Answer in English.", "Drinks tea.", "Ship it")
    places = [shown.stdout.index(part) for part in parts]
    assert places == sorted(places)


def test_what_does_not_fit_is_said(told: Run) -> None:
    whole = json.loads(told("pinned", "--json").stdout)
    assert whole["cut"] == 0
    budget = ("--budget", str(whole["tokens"] - 1))
    shown, less = told("pinned", *budget), json.loads(told("pinned", *budget, "--json").stdout)
    assert less["cut"] > 0
    assert shown.stderr == f"cut: {less['cut']} lines did not fit into the budget\n"
    assert "Never share keys." in shown.stdout


def test_nothing_pinned_prints_no_data(run: Run) -> None:
    shown = run("pinned")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", "nothing is pinned\n")


def test_procedural_shows_what_three_sources_say(run: Run) -> None:
    pattern = ("remember", "--name", "Deploy", "--step", "tag it", "--source")
    for name in "ab":
        run(*pattern, name)
    assert run("procedural").stderr == "no proven patterns\n"
    run(*pattern, "c")
    shown = run("procedural", "deploy the service")
    head, text, *_ = shown.stdout.splitlines()
    assert (shown.exit_code, shown.stderr) == (0, "")
    score, proven, uri = head.split("  ")
    assert 0 < float(score) <= 1
    assert proven == "3 sources"
    assert uri.startswith("everturn://memory/pattern/")
    assert "Deploy" in text
    (found,) = json.loads(run("procedural", "--json").stdout)["patterns"]
    assert found["spec"]["steps"] == ["tag it"]


def test_context_is_one_block_and_what_is_in_it_is_said_aside(told: Run) -> None:
    told("append", "chat", "When is tea?")
    told("append", "chat", "At five.", "--role", "assistant")
    shown = told("context", "tea", "--conversation", "chat", "--goal", "Ship it")
    assert shown.exit_code == 0
    assert _framed(shown.stdout)
    assert shown.stdout.count("<recalled_memory>") == 1
    for part in ("You are Otto.", "Drinks tea.", "At five.", "Ship it"):
        assert part in shown.stdout
    first, *_ = shown.stderr.splitlines()
    assert first.startswith("tokens: ")


def test_context_without_anything_prints_no_data(run: Run) -> None:
    shown = run("context", "tea")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert shown.stderr.splitlines()[:2] == ["nothing is known", "tokens: 0"]


REFUSED: list[tuple[list[str], int, str]] = [
    (["context"], 2, "QUERY"),
    (["context", "tea", "--exclude-last", "1"], 1, "field=exclude_last"),
    (["context", "tea", "--conversation", " "], 1, "field=conversation_id"),
    (["context", "tea", "--budget", "0"], 2, "--budget"),
    (["pinned", "--budget", "0"], 2, "--budget"),
    (["procedural", "a", "b"], 2, "b"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    run: Run, arguments: list[str], code: int, reason: str
) -> None:
    refused = run(*arguments)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr


def test_rules_that_cannot_be_read_are_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERTURN_RULES_FILE", "nowhere.txt")
    refused = run("pinned")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.count("\n") == 1
    assert "EVERTURN_RULES_FILE=nowhere.txt" in refused.stderr
