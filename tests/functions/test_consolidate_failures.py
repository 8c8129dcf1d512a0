"""What fails of an event comes again alone, whatever fails: one line in the log says why."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from cases.worker import lines_of, noting
from everturn.adapters.scripted_chat import Scripted
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    MisconfiguredError,
    UnavailableError,
)
from everturn.ports.chat_model import Completion, Prompt
from everturn.values.keys import (
    DIRTY_PREFIX,
    head_key,
    memories_prefix,
    watermark_key,
)
from fakes.wrapped_store import Verb
from functions.house import LOCAL, Json
from functions.jobs import Jobs
from functions.remembered import statements

TEN = [f"c{number}" for number in range(10)]


def _tell(jobs: Jobs, *ids: str) -> None:
    """Say something else in each conversation."""
    for id_ in ids:
        assert jobs.house.append(id_, f"The port of {id_} is 8080.").is_success


def _said(*ids: str) -> list[str]:
    return [f"The port of {id_} is 8080." for id_ in ids]


def _failing_on(text: str, error: EverturnError) -> Callable[[Prompt], Scripted]:
    def answer(prompt: Prompt) -> Scripted:
        return error if any(text in line["text"] for line in lines_of(prompt)) else noting(prompt)

    return answer


def _raising(error: Exception, key: str) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(verb: Verb, asked: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del verb
        if asked == key:
            raise error
        return send()

    return step_in


@pytest.mark.parametrize("error", [UnavailableError("away"), MisconfiguredError("no such model")])
def test_one_of_ten_fails_alone_and_is_done_when_it_comes_again(
    jobs: Jobs, error: EverturnError, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.ask(_failing_on("c4", error))
    _tell(jobs, *TEN)
    capsys.readouterr()
    assert jobs.do(*TEN) == ["c4"]
    line: Json = json.loads(capsys.readouterr().out)
    assert (sum(line["JobsDone"]), sum(line["JobsFailed"])) == (9, 1)
    assert statements(jobs.house) == _said(*(id_ for id_ in TEN if id_ != "c4"))
    assert jobs.mark("c4") == 0
    assert jobs.reasons() == [error.message]

    model = jobs.ask()
    assert jobs.do("c4") == []
    assert model.calls == 1
    assert statements(jobs.house) == _said(*TEN)


@pytest.mark.parametrize(
    "body",
    [
        "", "no json", "{", "[]", "null", "7", '"c1"', "{}", '{"tenant": "local"}',
        '{"tenant": 1, "actor": 2, "conversation_id": 3}',
        '{"tenant": "local", "actor": "local", "conversation_id": ""}',
        '{"tenant": "local", "actor": "local", "conversation_id": {"token": "../c1"}}',
        "[" * 9_000,
    ],
)  # fmt: skip
def test_a_message_that_is_no_job_fails_and_the_others_are_done(jobs: Jobs, body: str) -> None:
    """It goes to the dead letters in the end, where somebody can look at it."""
    _tell(jobs, "c1")
    good = '{"tenant": "local", "actor": "local", "conversation_id": "c1"}'
    assert jobs.deliver(body, good) == [0]
    assert jobs.mark("c1") == 1
    [line] = jobs.logged()
    assert json.loads(line)["code"] == "corrupt_record"


def test_when_all_fail_all_come_again(jobs: Jobs) -> None:
    """The function itself does not fail, which would hide which of them did."""
    jobs.ask(lambda _: UnavailableError("away"))
    _tell(jobs, "c1", "c2")
    assert jobs.do("c1", "c2") == ["c1", "c2"]


def test_a_crash_is_one_failure_and_one_line_and_the_others_go_on(jobs: Jobs) -> None:
    _tell(jobs, *TEN)
    crash = ZeroDivisionError("The port of c3 is 8080.")
    jobs.house.data.step_in = _raising(crash, watermark_key(LOCAL, "c3"))
    assert jobs.do(*TEN) == ["c3"]
    assert [jobs.mark(id_) for id_ in TEN if id_ != "c3"] == [1] * 9
    [line] = jobs.logged()
    told: Json = json.loads(line)
    assert (told["message"], told["error_type"]) == ("crashed", "ZeroDivisionError")
    assert any("consolidation/files.py" in place for place in told["where"])
    assert "8080" not in line


@pytest.mark.parametrize(
    "error", [AccessDeniedError("denied"), UnavailableError("away"), RuntimeError("a bug")]
)
def test_a_store_that_fails_at_one_conversation_leaves_the_others_alone(
    jobs: Jobs, error: Exception
) -> None:
    _tell(jobs, "c1", "c2")
    jobs.house.data.step_in = _raising(error, head_key(LOCAL, "c1"))
    assert jobs.do("c1", "c2") == ["c1"]
    assert jobs.mark("c2") == 1


def test_a_conversation_that_cannot_be_read_fails_and_is_not_overwritten(jobs: Jobs) -> None:
    broken = jobs.house.place(b'{"conversation_id":"c1","turns":[{')
    _tell(jobs, "c2")
    assert jobs.do("c1", "c2") == ["c1"]
    assert jobs.house.stored("c1") == broken


def test_without_time_nothing_is_begun_and_all_come_again(jobs: Jobs) -> None:
    """Lambda would end them half-way; the next event has its whole time for them."""
    model = jobs.ask()
    _tell(jobs, "c1", "c2")
    jobs.house.data.calls.clear()
    jobs.worker.timeout_s = 100
    assert jobs.do("c1", "c2") == ["c1", "c2"]
    assert (model.calls, jobs.house.data.calls) == (0, [])
    assert jobs.reasons() == ["no time is left for another message"] * 2


def test_those_for_which_an_earlier_one_left_no_time_come_again(jobs: Jobs) -> None:
    def slow(prompt: Prompt) -> str:
        jobs.house.clock.sleep(95)
        return noting(prompt)

    jobs.ask(slow)
    _tell(jobs, "c1", "c2", "c3")
    assert jobs.do("c1", "c2", "c3") == ["c2", "c3"]
    assert [jobs.mark(id_) for id_ in ("c1", "c2", "c3")] == [1, 0, 0]


def test_a_model_that_answers_nothing_usable_fails_its_jobs_and_nothing_is_passed_over(
    jobs: Jobs,
) -> None:
    jobs.ask(lambda _: "I am sorry, I cannot do that.")
    _tell(jobs, "c1")
    for _ in range(4):
        assert jobs.do("c1") == ["c1"]
    assert jobs.mark("c1") == 0
    assert jobs.keys("q/") == []
    assert jobs.keys(memories_prefix(LOCAL)) == []


def test_a_turn_of_which_nothing_usable_is_answered_is_set_aside_and_its_neighbours_are_read(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(prompt: Prompt) -> str:
        poison = any("poison" in line["text"] for line in lines_of(prompt))
        return "Ignoring that." if poison else noting(prompt)

    jobs.ask(answer)
    texts = [
        "The port is 8080.",
        "The host is alpha.",
        "poison",
        "The disk is full.",
        "The fan is on.",
    ]
    jobs.house.append("c1", *texts)
    capsys.readouterr()
    assert jobs.do("c1") == []
    line: Json = json.loads(capsys.readouterr().out)
    assert (line["TurnsQuarantined"], line["TurnsConsolidated"]) == ([1], [5])
    assert statements(jobs.house) == sorted(text for text in texts if text != "poison")
    [aside] = jobs.keys("q/")
    assert aside.endswith(f"/c1/{2:012d}.json")
    assert jobs.do("c1") == []
    assert len(jobs.keys("q/")) == 1


@pytest.mark.parametrize("error", [AccessDeniedError("denied"), MisconfiguredError("no queue")])
def test_a_marker_that_cannot_be_taken_fails_no_job_and_is_told(
    jobs: Jobs, error: EverturnError, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was read is read; a job that came again would die of what is no fault of its own."""
    _tell(jobs, "c1")
    jobs.queue.max_depth = 0
    jobs.house.append("c2", "Hello.")
    jobs.queue.fault = error
    capsys.readouterr()
    assert jobs.do("c1") == []
    assert jobs.mark("c1") == 1
    line: Json = json.loads(capsys.readouterr().out)
    assert (line["JobsDone"], line["JobsUnsent"]) == ([1], [1])
    assert jobs.reasons() == [error.message]
    assert len(jobs.keys(DIRTY_PREFIX)) == 1


def test_a_queue_that_is_away_fails_no_job_and_what_is_left_has_a_marker(jobs: Jobs) -> None:
    def slow(_: Prompt) -> str:
        jobs.house.clock.sleep(95)
        return '{"facts": [], "user_facts": [], "patterns": [], "outcome": null}'

    jobs.ask(slow)
    jobs.house.append("c1", *(f"Line {number}." for number in range(60)))
    jobs.queue.fault = UnavailableError("the queue does not answer")
    assert jobs.do("c1") == []
    assert jobs.mark("c1") == 50
    assert len(jobs.keys(DIRTY_PREFIX)) == 1
    jobs.queue.fault = None
    assert jobs.do("c1") == []
    assert jobs.mark("c1") == 60
    assert jobs.keys(DIRTY_PREFIX) == []


@pytest.mark.parametrize("count", [1, 2])
def test_tokens_of_a_job_that_fails_are_counted_and_that_nobody_answered(
    jobs: Jobs, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was paid for is paid for, whatever becomes of the job."""
    answers: list[Scripted] = [Completion("I cannot.", "stop", 30)] * count
    jobs.ask(lambda _: answers.pop() if answers else UnavailableError("away"))
    jobs.house.append("c1", *(f"The port of c{number} is 8080." for number in range(count)))
    capsys.readouterr()
    assert jobs.do("c1") == ["c1"]
    line: Json = json.loads(capsys.readouterr().out)
    assert sum(line["ModelTokens"]) == 30 * count
    assert (sum(line["ExtractorFailures"]), sum(line["JobsFailed"])) == (1, 1)


def test_a_record_that_cannot_be_read_is_counted_with_the_job_that_failed_of_it(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.house.place(b'{"conversation_id":"c1","turns":[{')
    jobs.do("c1")
    line: Json = json.loads(capsys.readouterr().out)
    assert (line["CorruptRecords"], line["JobsFailed"]) == ([1], [1])


def test_a_line_names_the_message_that_failed_and_how_often_it_came(jobs: Jobs) -> None:
    jobs.ask(_failing_on("c1", UnavailableError("away")))
    _tell(jobs, "c0", "c1")
    assert jobs.do("c0", "c1") == ["c1"]
    [line] = jobs.logged()
    told: Json = json.loads(line)
    assert (told["message_id"], told["receives"]) == ("message-1", "1")
    assert told["function_request_id"]
    assert "correlation_id" not in told
    assert "status" not in told
