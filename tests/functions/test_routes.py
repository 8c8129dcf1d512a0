"""Paths and methods that are no route of ours: 404 in our own form, and nothing is touched."""

import pytest

from functions.house import CONVERSATIONS, House, fault

STRANGE = [
    ("GET", "/"),
    ("GET", "/v1"),
    ("GET", "/v1/"),
    ("GET", "/v2/conversations"),
    ("GET", "/V1/conversations"),
    ("GET", "/conversations"),
    ("GET", "//v1/conversations"),
    ("GET", "/v1//conversations"),
    ("GET", "/v1/conversations/"),
    ("POST", "/v1/conversations/"),
    ("DELETE", "/v1/conversations/"),
    ("GET", "/v1/conversations//turns"),
    ("GET", "/v1/conversations/c1/"),
    ("GET", "/v1/conversations/c1/turns/"),
    ("POST", "/v1/conversations/c1/turns/"),
    ("GET", "/v1/conversations/c1/export/"),
    ("GET", "/v1/conversations/c1/nothing"),
    ("GET", "/v1/conversations/c1/turns/0/1"),
    ("DELETE", "/v1/conversations"),
    ("PUT", "/v1/conversations/c1"),
    ("POST", "/v1/conversations/c1"),
    ("PUT", "/v1/conversations/c1/turns"),
    ("OPTIONS", "/v1/conversations"),
    ("GET", "/v1/%63onversations/x/y/z"),
]


@pytest.mark.parametrize(("method", "path"), STRANGE)
def test_what_is_no_route_is_not_found(directory_house: House, method: str, path: str) -> None:
    directory_house.append("c1", "a")
    directory_house.data.calls.clear()
    response = directory_house.client.request(method, path)
    error = fault(response, 404)
    assert (error["code"], error["retryable"]) == ("not_found", False)
    assert directory_house.data.calls == []


def test_a_parameter_that_nobody_asked_for_changes_nothing(house: House) -> None:
    house.append("c1", "a")
    params = {"actor": "bob", "tenant": "acme", "user_id": "x", "scope": "y"}
    assert house.client.get(CONVERSATIONS, params=params).json() == house.read(CONVERSATIONS)


def test_every_answer_has_its_own_request_id(directory_house: House) -> None:
    house = directory_house
    ids = {fault(house.send("GET", "nope"), 404)["request_id"] for _ in range(5)}
    assert len(ids) == 5
