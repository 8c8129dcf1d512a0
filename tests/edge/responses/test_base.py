"""From errors to HTTP, by one table."""

import inspect
import json

import pytest

from everturn import errors
from everturn.conversations.model.summary import Summary
from everturn.conversations.model.turn import readable_turn
from everturn.edge.responses.base import STATUS, error_answer, row_json, turn_json
from everturn.values.go_json import JsonObject

KINDS = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, errors.EverturnError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_has_a_status_and_the_contracts_fields(
    kind: type[errors.EverturnError],
) -> None:
    answer = error_answer(kind("what happened", field="turns.0.text"), "r-1")
    body = json.loads(str(answer.body))["error"]
    assert 400 <= answer.status_code < 600
    assert set(body) == {"code", "message", "field", "request_id", "retryable"}
    assert body["retryable"] is (answer.status_code == 503)


def test_an_errors_class_without_a_line_of_its_own_has_its_parents_status() -> None:
    for kind in KINDS:
        parents = [parent for parent in kind.__mro__ if parent in STATUS]
        assert error_answer(kind("x"), "r").status_code == STATUS[parents[0]]


def test_what_a_store_says_is_not_told_to_the_caller() -> None:
    answer = error_answer(errors.AccessDeniedError("refused bucket=secret key=c/t/a"), "r-1")
    assert "secret" not in str(answer.body)


def test_a_field_or_a_message_without_end_is_told_by_its_beginning() -> None:
    """An error is always told: an answer above 3 MiB would raise another."""
    answer = error_answer(errors.InvalidRequestError("m" * 10**7, field="<" * 10**7), "r-1")
    body = json.loads(str(answer.body))["error"]
    assert (body["message"], body["field"]) == ("m" * 1_200, "<" * 1_200)


PLAIN: JsonObject = {
    "conversation_id": "c1",
    "title": "a",
    "preview": "b",
    "turn_count": 2,
    "updated": "1970-01-01T00:00:00.000000001Z",
}


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (Summary("c1", "a", "b", 2, 1), PLAIN),
        (Summary("c1", "a", "b", 2, 1, "", archived=False), PLAIN),
        (Summary("c1", "a", "b", 2, 1, "f"), {**PLAIN, "folder": "f"}),
        (Summary("c1", "a", "b", 2, 1, archived=True), {**PLAIN, "archived": True}),
    ],
)  # fmt: skip
def test_a_row_shows_folder_and_archive_only_where_set(row: Summary, answer: JsonObject) -> None:
    assert row_json(row) == answer


def test_the_answer_shows_every_field_of_ours_and_no_foreign_one() -> None:
    value: JsonObject = {
        "role": "u", "text": "t", "intent_id": "i", "ts": "2026-01-01T00:00:00Z", "name": "n",
        "content": None, "metadata": {"m": 1}, "foreign": True,
    }  # fmt: skip
    turn = readable_turn(3, value)
    assert turn is not None
    del value["foreign"]
    assert turn_json(turn) == {"index": 3, **value}


def test_the_answer_of_a_plain_turn_is_plain() -> None:
    turn = readable_turn(0, {"role": "u", "text": "t", "intent_id": ""})
    assert turn is not None
    assert turn_json(turn) == {"index": 0, "role": "u", "text": "t", "ts": None}
