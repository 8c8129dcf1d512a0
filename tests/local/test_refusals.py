"""The front's own errors are those of the handlers: same body, same headers, one table."""

import json

import pytest

from everturn.edge.responses.base import STATUS, error_answer
from everturn.errors import EverturnError, TooLargeError
from everturn.local.guard import LengthRequiredError, refusal


@pytest.mark.parametrize("kind", STATUS)
def test_an_error_is_answered_as_a_handler_would(kind: type[EverturnError]) -> None:
    error = kind("why", field="f")
    handlers = error_answer(error, "r")
    ours = refusal(error, request_id="r")
    assert ours.status == handlers.status_code == STATUS[kind]
    assert ours.body.decode() == handlers.body
    assert ours.headers == (
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("content-type", "application/json"),
    )


def test_a_body_without_length_has_a_status_and_code_that_no_handler_needs() -> None:
    answer = refusal(LengthRequiredError("why"), request_id="r")
    assert answer.status == 411
    assert json.loads(answer.body)["error"]["code"] == "length_required"


def test_a_closer_status_leaves_the_body_as_it_is() -> None:
    answer = refusal(TooLargeError("why"), request_id="r", status=431)
    assert answer.status == 431
    assert answer.body == refusal(TooLargeError("why"), request_id="r").body
