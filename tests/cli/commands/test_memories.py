"""The command memories: the list, and one with its history."""

import json

import pytest

from cli.stores import Run


def _remember(run: Run, *arguments: str) -> str:
    """Remember something; return its id."""
    done = run("remember", *arguments, "--json")
    assert done.exit_code == 0, done.output
    return str(json.loads(done.stdout)["memory"]["id"])


@pytest.fixture
def filled(run: Run) -> Run:
    """Two facts and a preference."""
    for arguments in (
        ("The deploy port is 8080.",),
        ("Dana leads the team.",),
        ("Tea at five.", "--kind", "preference", "--pin"),
    ):
        _remember(run, *arguments)
    return run


def test_the_list_has_a_row_for_each_in_the_order_of_ids(filled: Run) -> None:
    shown = filled("memories")
    head, *rows = shown.stdout.splitlines()
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert head.split() == ["ID", "KIND", "SOURCES", "LAST", "SEEN", "STATE", "SAYS"]
    assert rows == sorted(rows)
    assert {row.rpartition("  ")[2] for row in rows} == {
        "The deploy port is 8080.", "Dana leads the team.", "Tea at five.",
    }  # fmt: skip
    (tea,) = (row for row in rows if "Tea" in row)
    assert tea.split()[1:3] == ["preference", "1"]
    assert "  pinned  " in tea


def test_a_kind_is_chosen_and_pages_are_followed(filled: Run) -> None:
    facts = filled("memories", "--kind", "fact", "--json")
    assert {memory["kind"] for memory in json.loads(facts.stdout)["memories"]} == {"fact"}
    first = filled("memories", "--limit", "1")
    assert (len(first.stdout.splitlines()), first.stderr) == (
        2,
        "there are more: --all shows them\n",
    )
    everything = filled("memories", "--limit", "1", "--all")
    assert (len(everything.stdout.splitlines()), everything.stderr) == (4, "")


def test_nothing_prints_no_data(run: Run) -> None:
    shown = run("memories")
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert shown.stderr.startswith("nothing is remembered in ")
    assert shown.stderr.endswith("store (--dir)\n")


def test_what_was_replaced_is_in_the_list_if_asked_and_leads_to_what_holds(run: Run) -> None:
    old = _remember(run, "The deploy port is 8080.", "--since", "2026-01-01")
    run("correct", old, "The deploy port is 9090.", "--since", "2026-03-01")
    assert "8080" not in run("memories").stdout
    (row,) = (row for row in run("memories", "--superseded").stdout.splitlines() if "8080" in row)
    assert "  replaced  " in row
    shown = run("memories", old)
    assert shown.stderr == "replaced: this is what holds now\n"
    assert "says        The deploy port is 9090." in shown.stdout
    assert shown.stdout.splitlines()[-3:-1] == [
        "history",
        f"  from 2026-01-01 to 2026-03-01  The deploy port is 8080.  ({old})",
    ]


def test_one_is_named_by_its_id_or_its_uri(run: Run) -> None:
    rid = _remember(run, "Tea at five.")
    by_id, by_uri = (run("memories", name) for name in (rid, f"everturn://memory/fact/{rid}"))
    assert by_id.stdout == by_uri.stdout
    assert (by_uri.exit_code, by_uri.stderr) == (0, "")
    assert json.loads(run("memories", rid, "--json").stdout)["memory"]["id"] == rid


REFUSED: list[tuple[list[str], int, str]] = [
    (["0" * 32], 1, "code=not_found"),
    (["nothing"], 1, "code=not_found"),
    (["--kind", "thing"], 1, "field=kind"),
    (["--limit", "0"], 2, "--limit"),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused(
    run: Run, arguments: list[str], code: int, reason: str
) -> None:
    refused = run("memories", *arguments)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert reason in refused.stderr


def test_of_another_user_there_is_nothing(filled: Run) -> None:
    assert "nothing is remembered" in filled("memories", "--actor", "eve").stderr
