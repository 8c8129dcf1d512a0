"""What a caller is told when the store fails: whether the same request may succeed later."""

from collections.abc import Callable
from typing import Any

import pytest

from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    EverturnError,
    OutcomeUnknownError,
    UnavailableError,
)
from fakes.wrapped_store import Verb
from functions.house import CONVERSATIONS, House, fault

FAULTS: list[tuple[EverturnError, int, str, bool]] = [
    (UnavailableError("no answer"), 503, "unavailable", True),
    (OutcomeUnknownError("no clear answer"), 503, "unavailable", True),
    (AccessDeniedError("denied"), 500, "store_error", False),
]


def _on(verbs: set[Verb], error: Exception) -> Callable[[Verb, str, Callable[[], Any]], Any]:
    def step_in(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        del key
        if verb in verbs:
            raise error
        return send()

    return step_in


@pytest.mark.parametrize(("error", "status", "code", "retryable"), FAULTS, ids=str)
def test_a_write_that_fails_says_whether_to_try_again(
    house: House, error: EverturnError, status: int, code: str, *, retryable: bool
) -> None:
    house.append("c1", "a")
    house.parts.forget()
    house.data.step_in = _on({"put"}, error)
    for response in (
        house.append("c1", "b"),
        house.send("PATCH", "c1", json={"title": "T"}),
        house.send("DELETE", "c1"),
        house.client.post(CONVERSATIONS, json={"conversation_id": "new"}),
    ):
        told = fault(response, status)
        assert (told["code"], told["retryable"]) == (code, retryable)


@pytest.mark.parametrize("where", ["data", "derived"])
@pytest.mark.parametrize(("error", "status", "code", "retryable"), FAULTS, ids=str)
def test_an_erasure_that_fails_says_whether_to_try_again(
    house: House, where: str, error: EverturnError, status: int, code: str, *, retryable: bool
) -> None:
    """Else a client would repeat for ever what the store refuses for good."""
    house.append("c1", "a")
    store = house.data if where == "data" else house.parts.derived
    store.step_in = _on({"get", "put", "overwrite", "delete", "delete_many", "list"}, error)
    told = fault(house.client.delete("/v1/me"), status)
    assert (told["code"], told["retryable"]) == (code, retryable)


@pytest.mark.parametrize("verb", ["get", "list"])
def test_a_read_that_fails_is_no_empty_answer(house: House, verb: Verb) -> None:
    house.append("c1", "a")
    house.data.step_in = _on({verb}, UnavailableError("no answer"))
    routes = ["", "/turns", "/export"] if verb == "get" else []
    for route in routes:
        assert fault(house.send("GET", "c1", route), 503)["retryable"] is True
    assert fault(house.client.get(CONVERSATIONS), 503)["retryable"] is True


def test_a_lost_list_cache_write_does_not_fail_the_list(house: House) -> None:
    house.append("c1", "a")
    house.parts.derived.step_in = _on({"overwrite"}, OutcomeUnknownError("no clear answer"))
    assert house.listed() == ["c1"]


def test_whatever_else_is_raised_is_a_plain_server_fault(house: House) -> None:
    house.data.step_in = _on({"get", "put", "list"}, ZeroDivisionError())
    for response in (house.append("c1", "b"), house.send("GET", "c1"),
                     house.client.get(CONVERSATIONS)):  # fmt: skip
        told = fault(response, 500)
        assert (told["code"], told["retryable"]) == ("internal", False)


def test_a_record_that_is_corrupt_is_not_worth_another_try(house: House) -> None:
    house.append("c1", "a")
    house.data.step_in = _on({"get"}, CorruptRecordError("a stored record cannot be read"))
    assert fault(house.send("GET", "c1"), 500)["retryable"] is False
