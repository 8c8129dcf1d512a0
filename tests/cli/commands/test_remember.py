"""The command remember: what it sends, and what it says of the answer."""

import json
from typing import Any

import pytest
import typer

from cli.stores import Run
from everturn.cli.commands.memory_changes import _source


def _only(run: Run) -> dict[str, Any]:
    """Return the only memory that there is, as the API gives it."""
    (memory,) = json.loads(run("memories", "--json").stdout)["memories"]
    return dict(memory)


def test_what_is_remembered_is_said_with_its_id_and_sources(run: Run) -> None:
    first = run("remember", "The deploy port is 8080.")
    assert (first.exit_code, first.stderr) == (0, "")
    rid = _only(run)["id"]
    assert first.stdout == f"remembered: fact {rid} (1 source)\n"
    again = run("remember", "the  deploy port is 8080", "--source", "chat-2")
    assert again.stdout == f"known already: fact {rid} (2 sources)\n"


def test_every_option_reaches_the_memory(run: Run) -> None:
    done = run(
        "remember", "Dana drinks tea.", "--kind", "preference", "--subject", "Dana",
        "--importance", "9", "--pin", "--since", "2026-03-01", "--tz", "Asia/Tokyo",
        "--source", "chat:3-5", "--quote", "tea, please",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    memory = _only(run)
    assert memory["kind"] == "preference"
    assert (memory["subject"], memory["importance"], memory["pinned"]) == ("Dana", 9, True)
    assert memory["valid_from"] == "2026-03-01T00:00:00Z"
    (source,) = memory["sources"]
    del source["at"]
    assert source == {"conversation_id": "chat", "from": 3, "to": 5, "quote": "tea, please"}


def test_a_hard_constraint_is_one(run: Run) -> None:
    run("remember", "Never deploy on Fridays.", "--kind", "constraint", "--hard")
    assert _only(run)["hard"] is True


def test_the_options_of_a_pattern_make_one(run: Run) -> None:
    done = run(
        "remember", "--name", "Deploy", "--trigger", "a release is due", "--step", "tag it",
        "--step", "push the tag", "--precondition", "tests are green", "--gotcha", "not on Fridays",
        "--success", "the page says so",
    )  # fmt: skip
    assert done.stdout.startswith("remembered: pattern ")
    assert _only(run)["spec"] == {
        "name": "Deploy",
        "trigger": "a release is due",
        "preconditions": ["tests are green"],
        "steps": ["tag it", "push the tag"],
        "gotchas": ["not on Fridays"],
        "success_criteria": ["the page says so"],
    }


def test_the_statement_is_read_from_stdin_where_it_is_a_dash(run: Run) -> None:
    run("remember", "-", stdin="Tea is at five.\n")
    assert _only(run)["statement"] == "Tea is at five."


def test_each_key_is_a_source_and_a_retry_is_none(run: Run) -> None:
    for key, sources in (("a", "1 source"), ("b", "2 sources"), ("b", "2 sources")):
        assert f"({sources})" in run("remember", "Tea is at five.", "--key", key).stdout


def test_json_is_that_of_the_api(run: Run) -> None:
    answer = json.loads(run("remember", "Tea is at five.", "--json").stdout)
    assert (answer["created"], answer["memory"]["statement"]) == (True, "Tea is at five.")


@pytest.mark.parametrize(
    ("text", "quote", "source"),
    [
        (None, None, None),
        ("trip", None, {"conversation_id": "trip"}),
        ("trip:3", None, {"conversation_id": "trip", "from": 3}),
        ("trip:3-5", "q", {"conversation_id": "trip", "from": 3, "to": 5, "quote": "q"}),
        ("a:b", None, {"conversation_id": "a:b"}),
        ("a:b:0", None, {"conversation_id": "a:b", "from": 0}),
        ("trip:3-", None, {"conversation_id": "trip:3-"}),
        (":3", None, {"conversation_id": ":3"}),
    ],
)
def test_a_source_is_a_conversation_and_its_turns(
    text: str | None, quote: str | None, source: dict[str, Any] | None
) -> None:
    assert _source(text, quote) == source


@pytest.mark.parametrize(("text", "quote"), [(None, "q"), ("", None)])
def test_a_quote_without_a_conversation_is_none(text: str | None, quote: str | None) -> None:
    with pytest.raises(typer.BadParameter):
        _source(text, quote)


REFUSED: list[tuple[list[str], int, str]] = [
    ([], 2, "STATEMENT"),
    (["tea", "--step", "x"], 2, "the options of a pattern"),
    (["tea", "--quote", "x"], 2, "give --source"),
    (["tea", "--importance", "11"], 2, "--importance"),
    (["tea", "--kind", "thing"], 1, "field=kind"),
    (["tea", "--since", "soon"], 1, "field=since"),
    (["tea", "--tz", "Nowhere"], 1, "zone=Nowhere"),
    (["tea", "--source", "a:5-3"], 1, "field=source.to"),
    ([" "], 1, "field=statement"),
    (["--kind", "fact", "--step", "x"], 1, "field=spec"),
    (["--step", " "], 1, "field=spec.steps"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    run: Run, arguments: list[str], code: int, reason: str
) -> None:
    refused = run("remember", *arguments)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr
    assert "nothing is remembered" in run("memories").stderr
