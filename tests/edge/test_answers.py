"""From errors to HTTP, by one table."""

import inspect
import json

import pytest

from everturn import errors
from everturn.edge.answers import STATUS, error_answer

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
