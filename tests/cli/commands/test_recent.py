"""The command recent: which window it asks for, and what it shows."""

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
        ("trip", "user", "2026-02-25T10:00:00Z", "When do I fly?"),
        ("trip", "assistant", "2026-02-25T10:00:05Z", "On Friday."),
        ("food", "user", "2026-03-03T23:30:00Z", "What is for dinner?"),
        ("trip", "user", "2026-03-04T09:00:00Z", "Which gate?"),
    ):
        run("append", id_, text, "--role", role, "--ts", ts)
    return run


def texts(stdout: str) -> list[str]:
    return stdout.splitlines()[1::3]


def test_the_newest_of_all_conversations_come_first_with_time_title_and_role(filled: Run) -> None:
    shown = filled("recent")
    assert shown.exit_code == 0
    assert shown.stderr == ""
    assert shown.stdout.startswith(
        "2026-03-04 09:00:00  When do I fly?  (trip #2)  user\nWhich gate?\n\n"
        "2026-03-03 23:30:00  What is for dinner?  (food #0)  user\n"
    )
    assert texts(shown.stdout) == [
        "Which gate?", "What is for dinner?", "On Friday.", "When do I fly?",
    ]  # fmt: skip


WINDOWS: list[tuple[list[str], str, list[str]]] = [
    (
        ["--during", "last week"],
        "from 2026-02-23 00:00 to 2026-03-02 00:00 (UTC)",
        ["On Friday.", "When do I fly?"],
    ),
    (["--since", "today"], "from 2026-03-04 00:00 (UTC)", ["Which gate?"]),
    (
        ["--since", "24h", "--until", "today"],
        "from 2026-03-03 12:00 to 2026-03-04 00:00 (UTC)",
        ["What is for dinner?"],
    ),
    (["--until", "2026-02-25T10:00:05Z"], "to 2026-02-25 10:00 (UTC)", ["When do I fly?"]),
    (["--roles", "assistant,tool"], "", ["On Friday."]),
]


@pytest.mark.parametrize(("options", "window", "wanted"), WINDOWS)
def test_a_window_is_said_and_kept(
    filled: Run, options: list[str], window: str, wanted: list[str]
) -> None:
    shown = filled("recent", *options)
    assert texts(shown.stdout) == wanted
    assert shown.stderr.rstrip("\n") == window


def test_days_and_times_are_those_of_the_zone(filled: Run) -> None:
    shown = filled("recent", "--since", "today", "--tz", "Europe/Berlin")
    assert shown.stderr == "from 2026-03-04 00:00 (Europe/Berlin)\n"
    assert [line[:19] for line in shown.stdout.splitlines()[::3]] == [
        "2026-03-04 10:00:00",
        "2026-03-04 00:30:00",
    ]


def test_pairs_are_questions_with_their_answers(filled: Run) -> None:
    shown = filled("recent", "--pairs", "--during", "last week")
    assert texts(shown.stdout) == ["When do I fly?", "On Friday."]
    pairs = json.loads(filled("recent", "--pairs", "--json").stdout)["pairs"]
    assert [len(pair["answers"]) for pair in pairs] == [0, 0, 1]


def test_json_is_that_of_the_api_and_says_its_window_aside(filled: Run) -> None:
    shown = filled("recent", "--json", "--since", "today")
    assert [turn["text"] for turn in json.loads(shown.stdout)["turns"]] == ["Which gate?"]
    assert shown.stderr == "from 2026-03-04 00:00 (UTC)\n"


def test_pages_are_followed_if_asked_for(filled: Run) -> None:
    first = filled("recent", "--limit", "1")
    assert (texts(first.stdout), first.stderr) == (
        ["Which gate?"],
        "there are more: --all shows them\n",
    )
    whole = filled("recent", "--limit", "1", "--all")
    assert (len(texts(whole.stdout)), whole.stderr) == (4, "")
    turns = json.loads(filled("recent", "--limit", "1", "--all", "--json").stdout)["turns"]
    assert len(turns) == 4


def test_nothing_prints_no_data(run: Run) -> None:
    shown = run("recent")
    assert (shown.exit_code, shown.stdout, shown.stderr) == (0, "", "nothing was said\n")


def test_a_turn_cannot_pass_for_two(run: Run) -> None:
    run("append", "c", "x\x1b[2J", "--role", "user\n2026")
    shown = run("recent")
    assert "\x1b" not in shown.stdout
    assert len(shown.stdout.splitlines()) == 3


REFUSED = [
    (["--since", "soon"], "field=since"),
    (["--until", "2026-02-30"], "field=until"),
    (["--during", "now"], "field=during"),
    (["--during", "today", "--since", "7d"], "--during"),
    (["--since", "today", "--until", "yesterday"], "nothing lies in this window"),
    (["--since", "today", "--until", "today"], "nothing lies in this window"),
    (["--tz", "Mars/Olympus"], "tzdata"),
    (["--roles", "user,"], "field=roles"),
    (["--pairs", "--roles", "user"], "field=roles"),
]


@pytest.mark.parametrize(("options", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line(
    run: Run, options: list[str], reason: str
) -> None:
    refused = run("recent", *options)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert reason in refused.stderr
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
