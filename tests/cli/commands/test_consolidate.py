"""The command consolidate on a directory and against a server."""

import json
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from cli.stores import Run, open_store
from everturn.cli.commands.consolidate import offer_all, offer_one
from everturn.cli.main import app
from everturn.cli.output.errors import ApiError, CliError
from everturn.cli.target.api import Api
from everturn.consolidation import consolidate_conversation
from everturn.consolidation.outcome import DAILY_TOKENS, Consolidated
from everturn.errors import MisconfiguredError, UnavailableError

NAME, TASTE = "My name is Dana.", "I prefer short answers."


def statements(run: Run) -> set[str]:
    rows = json.loads(run("memories", "--json").stdout)["memories"]
    return {row["statement"] for row in rows}


def test_one_conversation_is_read_at_once_and_twice_changes_nothing(run: Run) -> None:
    run("append", "a", NAME)
    run("append", "a", "Hello!", "--role", "assistant")

    first = run("consolidate", "a")

    assert first.exit_code == 0
    assert first.stdout.splitlines() == [
        "a: 2 turns read, 1 remembered",
        "consolidated: conversations=1 turns=2 created=1",
    ]
    assert "by rules, no model is configured" in first.stderr
    assert statements(run) == {"The user's name is Dana"}
    again = run("consolidate", "a")
    assert (again.exit_code, again.stdout) == (0, "consolidated: nothing\n")


def test_what_another_conversation_said_already_is_known(run: Run) -> None:
    for id_ in ("a", "b"):
        run("append", id_, NAME)
    run("consolidate", "a")
    assert "b: 1 turn read, 0 remembered, 1 known already" in run("consolidate", "b").stdout


def test_all_of_a_user_are_read_those_of_others_are_not(run: Run) -> None:
    run("append", "a", NAME)
    run("append", "b", TASTE)
    run("append", "c", "I live in Lisbon.", "--actor", "other")

    done = run("consolidate", "--all")

    assert done.exit_code == 0
    assert "consolidated: conversations=2 turns=2 created=2" in done.stdout
    assert statements(run) == {"The user's name is Dana", "The user prefers short answers"}


def test_one_that_cannot_be_read_is_named_and_the_rest_goes_on(run: Run, tmp_path: Path) -> None:
    for id_ in ("a", "b", "c"):
        run("append", id_, NAME)
    run("list")
    (tmp_path / "store" / "b.json").write_text("{broken")

    alone = run("consolidate", "b")
    done = run("consolidate", "--all")

    assert (alone.exit_code, done.exit_code) == (1, 1)
    assert "code=corrupt_record" in alone.stderr
    assert "conversations=2 turns=2" in done.stdout
    assert "skipped: 1 unreadable" in done.stderr


def test_one_that_is_not_there_is_an_error(run: Run) -> None:
    done = run("consolidate", "none")
    assert done.exit_code == 1
    assert done.stderr.endswith(" code=not_found\n")
    assert done.stderr.count("error: ") == 1


@pytest.mark.parametrize("arguments", [(), ("a", "--all")])
def test_it_wants_an_id_or_all(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("consolidate", *arguments)
    assert done.exit_code == 2
    assert "--all" in done.stderr


def _instead(monkeypatch: pytest.MonkeyPatch, *done: Consolidated | BaseException) -> list[str]:
    """Let the conversations end so, one call after the other; return the ids that were asked."""
    results, asked = iter(done), []

    def one(*, conversation_id: str, **_parts: object) -> Consolidated:
        asked.append(conversation_id)
        result = next(results)
        if isinstance(result, BaseException):
            raise result
        return result

    monkeypatch.setattr(consolidate_conversation, "consolidate", one)
    return asked


def test_a_long_one_goes_on_to_its_end_and_says_how_far_it_is(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("append", "a", NAME)
    part = Consolidated(windows=1, turns=50, created=2, behind=True, turn_count=90)
    asked = _instead(monkeypatch, part, Consolidated(windows=1, turns=40, turn_count=90))
    done = run("consolidate", "a")
    assert asked == ["a", "a"]
    assert "a: 50 of 90 turns so far" in done.stderr
    assert "a: 90 turns read, 2 remembered\n" in done.stdout
    assert "consolidated: conversations=1 turns=90 created=2\n" in done.stdout


def test_one_that_is_left_behind_is_named_with_the_reason(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("append", "a", NAME)
    _instead(monkeypatch, Consolidated(behind=True, turn_count=9, reason=DAILY_TOKENS))
    done = run("consolidate", "a")
    assert done.exit_code == 0
    assert "not at its end yet: the tokens of this day are used up" in done.stdout
    assert "behind=1" in done.stdout


def test_a_model_that_does_not_answer_fails_one_and_one_that_never_will_ends_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id_ in ("a", "b"):
        run("append", id_, NAME)
    asked = _instead(monkeypatch, UnavailableError("nobody answered"), Consolidated(turn_count=1))
    assert run("consolidate", "--all").exit_code == 1
    assert len(asked) == 2
    asked = _instead(monkeypatch, MisconfiguredError("there is no such model"))
    ended = run("consolidate", "--all")
    assert (ended.exit_code, len(asked)) == (1, 1)
    assert "error: there is no such model code=misconfigured" in ended.stderr


def test_ctrl_c_keeps_what_was_done_and_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for id_ in ("a", "b"):
        run("append", id_, NAME)
    first = Consolidated(windows=1, turns=1, created=1, turn_count=1)
    _instead(monkeypatch, first, KeyboardInterrupt())
    done = run("consolidate", "--all")
    assert done.exit_code == 130
    assert "interrupted: what was done is kept" in done.stderr
    assert "consolidated: conversations=1 turns=1 created=1\n" in done.stdout


def _api(*answers: httpx.Response) -> Api:
    """An API that gives these answers, one after the other."""
    left = iter(answers)
    transport = httpx.MockTransport(lambda _: next(left))
    return Api(httpx.Client(transport=transport, base_url="http://server"))


def test_a_server_is_asked_for_each_and_queues_it(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for id_ in ("a", "b/1"):
        run("append", id_, NAME)
    api, transport = open_store(tmp_path / "store")

    offer_all(api)

    assert capsys.readouterr().out == "queued: 2 conversations\n"
    asked = {r.url.raw_path for r in transport.sent if r.method == "POST"}
    assert asked == {b"/v1/conversations/a/consolidate", b"/v1/conversations/b%2F1/consolidate"}


def test_one_that_the_server_refuses_is_named_and_the_rest_is_asked_for(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As one that was deleted since the list was made."""
    for id_ in ("a", "gone", "c"):
        run("append", id_, NAME)

    def delete(request: httpx.Request) -> None:
        if request.url.path.endswith("/gone/consolidate"):
            run("delete", "gone", "--yes")

    api, _ = open_store(tmp_path / "store", delete)

    with pytest.raises(CliError, match="failed=1"):
        offer_all(api)

    said = capsys.readouterr()
    assert said.out == "queued: 2 conversations\n"
    assert "error: gone: " in said.err
    assert "code=not_found" in said.err


def test_one_that_is_asked_for_by_name_and_refused_is_one_line(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path / "store")
    with pytest.raises(ApiError, match="there is no such conversation code=not_found"):
        offer_one(api, "none")


@pytest.mark.parametrize("reason", ["queue_full", "queue_unavailable"])
def test_one_that_is_not_queued_now_comes_later_and_is_no_failure(
    reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not offer_one(_api(httpx.Response(202, json={"queued": False, "reason": reason})), "a")
    said = capsys.readouterr()
    assert "not queued: a: the queue " in said.err
    assert "it comes later by itself" in said.err


def test_a_server_without_a_queue_says_so_once() -> None:
    row = {"conversation_id": "a", "title": "", "turn_count": 1, "updated": "", "preview": ""}
    listed = httpx.Response(200, json={"conversations": [row, row], "skipped": 0})
    answer = httpx.Response(202, json={"queued": False, "reason": "no_queue"})
    with pytest.raises(CliError, match="this server has no queue"):
        offer_all(_api(listed, answer))


def test_a_server_is_asked_by_the_command_too() -> None:
    """Nothing listens there."""
    done = CliRunner().invoke(app, ["consolidate", "a", "--url", "http://127.0.0.1:1"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "error: nothing answers url=http://127.0.0.1:1\n"
