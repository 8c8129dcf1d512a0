"""A job builds the recall index of a long conversation, and is done where that cannot be."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from everturn.errors import AccessDeniedError, EverturnError, OutcomeUnknownError, UnavailableError
from everturn.values.keys import head_key, vectors_prefix
from fakes.fake_embedder import FakeEmbedder
from fakes.wrapped_store import Verb
from functions.house import LOCAL, Json, embedders_of
from functions.jobs import Jobs

TURNS = 300


def _talk(jobs: Jobs) -> None:
    jobs.house.append("long", *(f"Line {number} of a fish." for number in range(TURNS)))


def _counted(capsys: pytest.CaptureFixture[str]) -> tuple[float, float]:
    """How many indexes the newest event completed, and began."""
    line: Json = json.loads(capsys.readouterr().out.splitlines()[-1])
    return sum(line.get("ConversationsIndexed", [])), sum(line.get("IndexesUnfinished", []))


def test_a_long_conversation_is_indexed_and_a_recall_embeds_its_query_alone(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    house, embedder = jobs.house, FakeEmbedder()
    house.parts.embedders = embedders_of(embedder)
    _talk(jobs)
    assert jobs.do("long") == []
    assert _counted(capsys) == (1, 0)
    assert jobs.keys(vectors_prefix(LOCAL, "long"))
    house.parts.forget()
    embedder.calls.clear()
    assert house.recall("fish 77", "long")["hits"]
    assert embedder.texts == ["fish 77"]


def test_a_short_conversation_is_not_indexed(
    jobs: Jobs, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.house.append("c1", "Line 1.")
    jobs.do("c1")
    assert _counted(capsys) == (0, 0)
    assert jobs.keys(vectors_prefix(LOCAL, "c1")) == []


@pytest.mark.parametrize("is_derived", [True, False])
@pytest.mark.parametrize(
    "error",
    [UnavailableError("away"), OutcomeUnknownError("no answer"), AccessDeniedError("denied")],
)
def test_an_index_for_which_a_store_does_not_answer_fails_no_job(
    jobs: Jobs,
    error: EverturnError,
    is_derived: bool,  # noqa: FBT001 - a parameter of the table
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A later recall builds it."""
    _talk(jobs)
    chunks, head = vectors_prefix(LOCAL, "long"), head_key(LOCAL, "long")

    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        is_read = verb == "get" and key == head and jobs.mark("long") == TURNS
        if key.startswith(chunks) if is_derived else is_read:
            raise error
        return send()

    jobs.house.data.step_in = jobs.house.parts.derived.step_in = step_in
    assert jobs.do("long") == []
    assert jobs.mark("long") == TURNS
    assert _counted(capsys) == (0, 1)


def test_an_index_whose_embedder_does_not_answer_fails_no_job(jobs: Jobs) -> None:
    jobs.house.parts.embedders = embedders_of(FakeEmbedder(failing=UnavailableError("away")))
    _talk(jobs)
    assert jobs.do("long") == []
    assert jobs.mark("long") == TURNS


class _Broken(FakeEmbedder):
    """An embedder with a bug."""

    def embed(self, *_: object, **__: object) -> Any:  # noqa: ANN401 - it never returns
        raise RuntimeError("Line 7 of a fish.")


def test_a_crash_of_the_index_is_told_and_what_was_read_stays_read(jobs: Jobs) -> None:
    jobs.house.parts.embedders = embedders_of(_Broken())
    _talk(jobs)
    assert jobs.do("long") == ["long"]
    assert jobs.mark("long") == TURNS
    [line] = jobs.logged()
    assert json.loads(line)["error_type"] == "RuntimeError"
    assert "fish" not in line
