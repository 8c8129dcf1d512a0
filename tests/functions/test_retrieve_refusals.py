"""What retrieval refuses, before any request to a store, and what is clamped."""

import httpx
import pytest

from functions.house import House, Json, fault
from functions.remembered import post, remember, retrieve

RETRIEVE, PINNED = "/v1/memories/retrieve", "/v1/memories/pinned"
PROCEDURAL, CONTEXT = "/v1/memories/procedural", "/v1/context"
PATHS = [RETRIEVE, PINNED, PROCEDURAL, CONTEXT]

BUDGETS: list[tuple[Json, str]] = [
    ({"budget_tokens": budget}, "budget_tokens") for budget in (0, -1, 2.5, 1e3, "5", True, None)
]
QUERIES: list[tuple[Json, str]] = [({"query": query}, "query") for query in (None, 7, ["a"])]
GOALS: list[tuple[Json, str]] = [({"goal": goal}, "goal") for goal in (None, 7, ["a"])]
REFUSED: list[tuple[str, Json, str]] = [
    *[(path, body, field) for path in PATHS for body, field in BUDGETS],
    *[(path, body, field) for path in (RETRIEVE, CONTEXT) for body, field in QUERIES],
    *[(path, body, field) for path in (PINNED, PROCEDURAL, CONTEXT) for body, field in GOALS],
    *[(path, {"actor": "bob"}, "actor") for path in PATHS],
    *[(path, {"top_k": 5}, "top_k") for path in (PINNED, PROCEDURAL, CONTEXT)],
    *[(path, {"query": "x"}, "query") for path in (PINNED, PROCEDURAL)],
    *[(RETRIEVE, {"top_k": top_k}, "top_k") for top_k in (0, -1, 2.5, "5", True, None)],
    *[(RETRIEVE, {"min_score": score}, "min_score") for score in (-0.1, 1.01, "1", True, None)],
    (RETRIEVE, {"kinds": "fact"}, "kinds"),
    (RETRIEVE, {"kinds": None}, "kinds"),
    (RETRIEVE, {"kinds": ["fact", "rule"]}, "kinds.1"),
    (RETRIEVE, {"kinds": ["fact", None]}, "kinds.1"),
    (RETRIEVE, {"since": "yesterday"}, "since"),
    (RETRIEVE, {"until": "2025-06-31T00:00:00Z"}, "until"),
    (RETRIEVE, {"since": "2025-06-02T00:00:00Z", "until": "2025-06-02T00:00:00Z"}, "since"),
    (RETRIEVE, {"as_of": "then"}, "as_of"),
    (RETRIEVE, {"as_of": 1767225600}, "as_of"),
    (RETRIEVE, {"as_of": None}, "as_of"),
    (RETRIEVE, {"explain": 1}, "explain"),
    (RETRIEVE, {"goal": "x"}, "goal"),
    (CONTEXT, {"conversation_id": None}, "conversation_id"),
    (CONTEXT, {"conversation_id": 7}, "conversation_id"),
    (CONTEXT, {"conversation_id": "\t"}, "conversation_id"),
    (CONTEXT, {"conversation_id": "x" * 1_025}, "conversation_id"),
    (CONTEXT, {"conversation_id": "c1", "exclude_last": -1}, "exclude_last"),
    (CONTEXT, {"conversation_id": "c1", "exclude_last": "1"}, "exclude_last"),
    (CONTEXT, {"exclude_last": 1}, "exclude_last"),
]


def _asking(path: str) -> Json:
    return {"query": "x"} if path in {RETRIEVE, CONTEXT} else {}


def _refused(house: House, response: httpx.Response, field: str) -> None:
    error = fault(response, 422)
    assert (error["code"], error["field"], error["retryable"]) == ("invalid_request", field, False)
    assert house.data.calls == []


@pytest.mark.parametrize(("path", "body", "field"), REFUSED)
def test_a_wrong_field_is_named_before_any_store_call(
    directory_house: House, path: str, body: Json, field: str
) -> None:
    response = directory_house.client.post(path, json=_asking(path) | body)
    _refused(directory_house, response, field)


@pytest.mark.parametrize("path", [RETRIEVE, CONTEXT])
def test_a_body_without_a_query_is_refused(directory_house: House, path: str) -> None:
    _refused(directory_house, directory_house.client.post(path, json={}), "query")


@pytest.mark.parametrize("body", ["{", "[]", '"fish"', '{"query": NaN}', ""])
@pytest.mark.parametrize("path", PATHS)
def test_a_body_that_is_no_json_object_is_malformed(
    directory_house: House, path: str, body: str
) -> None:
    headers = {"content-type": "application/json"}
    response = directory_house.client.post(path, content=body, headers=headers)
    assert fault(response, 400)["code"] == "malformed_request"


def test_too_much_is_clamped(directory_house: House) -> None:
    remember(directory_house, "The deploy port is 8080.")
    answer = retrieve(directory_house, "deploy port", top_k=10**6, budget_tokens=10**9)
    assert len(answer["snippets"]) == 1
    for path in (PINNED, PROCEDURAL, CONTEXT):
        post(directory_house, path, **_asking(path), budget_tokens=10**9)
