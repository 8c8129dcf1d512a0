"""What users say stands in no line of jobs, no metric, no key and no metadata, whatever happens.

Nor does what a model answers.
"""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cases.worker import lines_of, noting
from everturn.adapters.scripted_chat import Scripted
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    MisconfiguredError,
    OutcomeUnknownError,
    UnavailableError,
)
from everturn.extraction.rules.extract_by_rules import RulesExtractor
from everturn.ports.chat_model import REFUSED, Completion, Prompt
from everturn.ports.object_store import StoredObject
from fakes.fake_embedder import FakeEmbedder
from fakes.wrapped_store import Verb
from functions.house import House, embedders_of
from functions.jobs import Jobs
from functions.remembered import statements

SECRET = "zebra4417"
# An id may be a user's word.
ID = "pangolin"
NAME, SAYS = f"My name is {SECRET}.", f"The depot of {SECRET} closes at noon."


def _say(house: House, id_: str = "c1", count: int = 1) -> None:
    texts = [NAME, *(f"{SAYS} It is gate {number}." for number in range(count))]
    turns = [{"role": "user", "text": text, "metadata": {SECRET: SECRET}} for text in texts]
    assert house.append_turns(id_, turns).is_success


def _remembered(jobs: Jobs) -> None:
    _say(jobs.house)
    assert jobs.do("c1") == []
    assert any(SECRET in statement for statement in statements(jobs.house))
    jobs.ask()
    _say(jobs.house, count=3)
    assert jobs.do("c1") == []
    jobs.house.send("DELETE", "c1")
    assert jobs.do("c1") == []
    _say(jobs.house, "c2")
    assert jobs.do("c2") == []
    assert any(SECRET in statement for statement in statements(jobs.house))


def _answers() -> Iterator[Scripted]:
    yield f"I will not speak of {SECRET}."
    yield f'{{"facts": ["The depot of {SECRET}'
    yield json.dumps({"facts": [f"{SECRET} is a liar."], "outcome": {"summary": SECRET}})
    yield json.dumps({SECRET: [SECRET], "facts": {SECRET: SECRET}, "patterns": [[SECRET]]})
    yield Completion(f'{{"facts": ["{SECRET}"', "length", 3)
    yield Completion(SECRET, REFUSED, 3)
    yield UnavailableError("no answer")
    yield MisconfiguredError("no such model")


def _answered_badly(jobs: Jobs) -> None:
    for number, answer in enumerate(_answers()):
        jobs.ask(lambda _, answer=answer: answer)  # type: ignore[misc]  # bound in its own round
        _say(jobs.house, f"c{number}")
        jobs.do(f"c{number}")
    jobs.ask(_refusing)
    jobs.house.append("aside", "Hello.", SAYS, "The port is 8080.")
    assert jobs.do("aside") == []
    assert jobs.keys("q/")


def _refusing(prompt: Prompt) -> str:
    is_told = any(SECRET in line["text"] for line in lines_of(prompt))
    return f"No, {SECRET}." if is_told else noting(prompt)


def _raising(error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        # The conversation is read, and then nothing works.
        if verb == "get" and key.startswith(("c/", "w/")):
            return send()
        raise error

    return step_in


def _failing(jobs: Jobs) -> None:
    broken = f'{{"conversation_id":"{ID}","turns":[{{"text":"{SECRET}"'
    jobs.house.place(broken.encode(), ID)
    assert jobs.do(ID) == [ID]
    assert jobs.deliver(SECRET, f'{{"tenant":"{SECRET}"', f'["{SECRET}"]') == [0, 1, 2]
    jobs.ask(_crashing)
    _say(jobs.house, count=300)
    assert jobs.do("c1") == ["c1"]
    errors = [
        RuntimeError(SECRET), ValueError(SECRET), KeyError(SECRET), AccessDeniedError("denied"),
        UnavailableError("unavailable"), OutcomeUnknownError("unknown"),
        CorruptRecordError(f"a stored record has another id conversation={ID}"),
    ]  # fmt: skip
    for error in errors:
        jobs.extractor = RulesExtractor()
        jobs.house.data.step_in = _raising(error)
        assert jobs.do("c1") == ["c1"]
    jobs.house.parts.settle(jobs.house.data.inner)
    jobs.house.parts.embedders = embedders_of(FakeEmbedder(failing=UnavailableError("no answer")))
    assert jobs.do("c1") == []


def _crashing(_: Prompt) -> Scripted:
    raise KeyError(SECRET)


@pytest.mark.parametrize("drive", [_remembered, _answered_badly, _failing])
def test_no_line_that_a_job_writes_holds_what_was_said_or_answered(
    jobs: Jobs,
    drive: Callable[[Jobs], None],
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nor do those that Powertools writes where somebody turns its own log on."""
    caplog.set_level(logging.DEBUG, logger="aws_lambda_powertools")
    drive(jobs)
    assert "Record processing exception" in caplog.text or drive is _remembered
    printed, logged = capfd.readouterr(), "\n".join(jobs.logged())
    assert '"JobsDone"' in printed.out
    assert bool(logged) is (drive is not _remembered)
    if drive is _failing:
        assert "crashed" in logged
    for text in (printed.out, printed.err, logged):
        assert ID not in text
        assert SECRET not in text
    assert SECRET not in caplog.text


@pytest.mark.parametrize("drive", [_remembered, _answered_badly])
def test_no_key_and_no_metadata_holds_what_was_said_or_answered(
    jobs: Jobs, drive: Callable[[Jobs], None]
) -> None:
    drive(jobs)
    asked = [key for _, key in jobs.house.data.calls + jobs.house.parts.derived.calls]
    assert SECRET not in json.dumps(asked)
    for prefix in ("c/", "w/", "m/", "x/", "q/"):
        for key in jobs.keys(prefix):
            found = jobs.house.data.inner.get(key)
            assert isinstance(found, StoredObject)
            assert SECRET not in json.dumps(dict(found.meta))


def test_what_is_set_aside_and_what_is_counted_as_read_hold_no_text(jobs: Jobs) -> None:
    _answered_badly(jobs)
    files = [*jobs.keys("q/"), *jobs.keys("w/"), *jobs.keys("dirty/")]
    assert files
    for key in files:
        found = jobs.house.data.inner.get(key)
        assert isinstance(found, StoredObject)
        assert SECRET.encode() not in found.body
