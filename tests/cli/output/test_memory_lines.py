"""What a person sees of memories."""

from datetime import UTC
from typing import Any

import pytest

from everturn.cli.output.memory_lines import named, period, said, say_history, say_memory, state

RID = "0" * 31 + "a"
FACT: dict[str, Any] = {
    "id": RID,
    "uri": f"everturn://memory/fact/{RID}",
    "kind": "fact",
    "statement": "The deploy port is 9090.",
    "subject": "",
    "hard": False,
    "importance": 5,
    "count": 2,
    "coverage": 2,
    "strength": 0.6,
    "sources": [
        {
            "conversation_id": "trip", "from": 3, "to": 5, "quote": "9090",
            "at": "2026-03-01T09:00:00Z",
        },
        {"at": "2026-03-02T09:00:00Z"},
    ],
    "first_seen": "2026-03-01T09:00:00Z",
    "last_seen": "2026-03-02T09:00:00Z",
    "valid_from": "2026-03-01T00:00:00Z",
    "supersedes": ["0" * 31 + "b"],
    "pinned": True,
    "provenance": "user_input",
}  # fmt: skip
PATTERN: dict[str, Any] = FACT | {
    "kind": "pattern",
    "statement": None,
    "spec": {
        "name": "Deploy",
        "trigger": "a release is due",
        "preconditions": ["tests are green"],
        "steps": ["tag it", "push the tag"],
        "gotchas": ["never on Fridays"],
        "success_criteria": ["the page says so"],
    },
    "promoted": {"name": "deploy", "at": "2026-03-04T00:00:00Z"},
}


def test_all_that_is_known_of_a_statement_is_a_line_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say_memory(FACT, UTC)
    assert capsys.readouterr().out.splitlines() == [
        f"id          {RID}",
        "kind        fact",
        "says        The deploy port is 9090.",
        "state       pinned",
        "holds       from 2026-03-01",
        "importance  5",
        "seen        2026-03-01 09:00:00 to 2026-03-02 09:00:00",
        "came from   2 sources (user_input)",
        '            trip  #3-#5  2026-03-01 09:00:00  "9090"',
        "            2026-03-02 09:00:00",
        f"replaces    {'0' * 31}b",
    ]


def test_a_pattern_shows_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    say_memory(PATTERN, UTC)
    assert capsys.readouterr().out.splitlines()[1:12] == [
        "kind        pattern",
        "says        Deploy",
        "when        a release is due",
        "before 1    tests are green",
        "step 1      tag it",
        "step 2      push the tag",
        "gotcha 1    never on Fridays",
        "success 1   the page says so",
        "state       pinned, promoted",
        "holds       from 2026-03-01",
        "importance  5",
    ]


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ({"name": "Deploy", "trigger": "a release", "steps": ["tag it"]}, "Deploy"),
        ({"trigger": "a release", "steps": ["tag it"]}, "a release"),
        ({"steps": ["tag it", "push the tag"]}, "tag it; push the tag"),
        ({}, ""),
    ],
)
def test_a_pattern_is_called_by_what_names_it(spec: dict[str, Any], line: str) -> None:
    assert said(PATTERN | {"spec": spec}) == line


def test_history_is_what_held_when_and_of_one_alone_there_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = {"id": "1", "statement": "8080", "valid_from": "2026-03-01T09:00:00Z"}
    say_history([first], UTC)
    assert capsys.readouterr().out == ""
    ended = first | {"valid_to": "2026-03-02T00:00:00Z"}
    say_history([ended, {"id": "2", "forgotten": "2026-03-03T00:00:00Z"}], UTC)
    assert capsys.readouterr().out.splitlines() == [
        "history",
        "  from 2026-03-01 09:00:00 to 2026-03-02  8080  (1)",
        "  (forgotten)  (2)",
    ]


def test_text_of_a_memory_cannot_pass_for_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    evil = "x\nid          fake\x1b[2J"
    source = {"conversation_id": evil, "quote": evil, "at": evil}
    spec = {"name": evil, "trigger": evil, "steps": [evil]}
    memory = PATTERN | {"id": evil, "subject": evil, "sources": [source], "spec": spec}
    say_memory(memory | {"provenance": evil, "valid_from": evil, "first_seen": evil}, UTC)
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert [line for line in out.splitlines() if line.startswith("id")] == out.splitlines()[:1]
    assert "\n" not in named({"kind": evil, "id": evil})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"hard": True, "superseded_by": RID}, "hard, replaced"),
        ({"pinned": True, "promoted": {"name": "x", "at": ""}}, "pinned, promoted"),
    ],
)
def test_what_is_special_is_said_in_words(fields: dict[str, Any], words: str) -> None:
    assert state({"hard": False, "pinned": False} | fields) == words


def test_a_period_without_ends_says_nothing() -> None:
    assert period({"valid_from": None}, UTC) == ""
