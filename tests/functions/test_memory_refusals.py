"""What the routes that keep memories refuse, before any request to a store."""

from typing import Any

import httpx
import pytest

from functions.house import House, Json, fault
from functions.remembered import MEMORIES, NOBODY, SPEC, at, remember, send

FACT: Json = {"kind": "fact", "statement": "The deploy port is 8080."}
PATTERN: Json = {"kind": "pattern", "spec": SPEC}
FROM_C1: Json = {"conversation_id": "c1"}

SOURCES: list[tuple[Any, str]] = [
    (None, "source"),
    ("c1", "source"),
    ({}, "source.conversation_id"),
    ({"conversation_id": None}, "source.conversation_id"),
    ({"conversation_id": 7}, "source.conversation_id"),
    ({"conversation_id": "\t"}, "source.conversation_id"),
    ({"conversation_id": "x" * 1_025}, "source.conversation_id"),
    ({**FROM_C1, "from": -1}, "source.from"),
    ({**FROM_C1, "from": "0"}, "source.from"),
    ({**FROM_C1, "from": 1.5}, "source.from"),
    ({**FROM_C1, "from": None}, "source.from"),
    ({**FROM_C1, "from": 2, "to": 1}, "source.to"),
    ({**FROM_C1, "to": True}, "source.to"),
    ({**FROM_C1, "quote": 7}, "source.quote"),
    ({**FROM_C1, "quote": None}, "source.quote"),
    ({**FROM_C1, "first": 1}, "source.first"),
    ({**FROM_C1, "actor": "bob"}, "source.actor"),
]
REFUSED: list[tuple[Json, str]] = [
    ({"kind": "fact"}, "statement"),
    ({"statement": "x"}, "kind"),
    ({**FACT, "kind": "rule"}, "kind"),
    ({**FACT, "kind": "Fact"}, "kind"),
    ({**FACT, "kind": "turn"}, "kind"),
    ({**FACT, "kind": None}, "kind"),
    ({**FACT, "kind": ["fact"]}, "kind"),
    ({**FACT, "statement": ""}, "statement"),
    ({**FACT, "statement": " \u200b\n"}, "statement"),
    ({**FACT, "statement": None}, "statement"),
    ({**FACT, "statement": 7}, "statement"),
    ({**FACT, "statement": ["x"]}, "statement"),
    ({**FACT, "statement": "x" * 4_001}, "statement"),
    ({**FACT, "spec": SPEC}, "spec"),
    ({**FACT, "spec": None}, "spec"),
    ({"kind": "fact", "spec": SPEC}, "spec"),
    ({**PATTERN, "statement": "x"}, "spec"),
    ({"kind": "pattern"}, "spec"),
    ({"kind": "pattern", "statement": " "}, "statement"),
    ({**PATTERN, "spec": {}}, "spec"),
    ({**PATTERN, "spec": 7}, "spec"),
    ({**PATTERN, "spec": ["run"]}, "spec"),
    ({**PATTERN, "spec": " "}, "spec"),
    ({**PATTERN, "spec": {"steps": ["run", 7]}}, "spec.steps[1]"),
    ({**PATTERN, "spec": {"steps": "run"}}, "spec.steps"),
    ({**PATTERN, "spec": {"name": 7}}, "spec.name"),
    ({**PATTERN, "spec": {"title": "x"}}, "spec.title"),
    ({**FACT, "subject": None}, "subject"),
    ({**FACT, "subject": 7}, "subject"),
    ({**FACT, "subject": "x" * 201}, "subject"),
    ({**FACT, "hard": 1}, "hard"),
    ({**FACT, "hard": None}, "hard"),
    ({**FACT, "importance": -1}, "importance"),
    ({**FACT, "importance": 11}, "importance"),
    ({**FACT, "importance": 5.5}, "importance"),
    ({**FACT, "importance": "5"}, "importance"),
    ({**FACT, "importance": True}, "importance"),
    ({**FACT, "importance": None}, "importance"),
    ({**FACT, "valid_from": "yesterday"}, "valid_from"),
    ({**FACT, "valid_from": "2025-06-31T00:00:00Z"}, "valid_from"),
    ({**FACT, "valid_from": 1767225600}, "valid_from"),
    ({**FACT, "valid_from": None}, "valid_from"),
    ({**FACT, "pinned": "true"}, "pinned"),
    ({**FACT, "pinned": None}, "pinned"),
    ({**FACT, "id": NOBODY}, "id"),
    ({**FACT, "provenance": "observed"}, "provenance"),
    ({**FACT, "actor": "bob"}, "actor"),
    *[({**FACT, "source": source}, field) for source, field in SOURCES],
]
PATCHES: list[tuple[Json, str]] = [
    ({"statement": " "}, "statement"),
    ({"statement": None}, "statement"),
    ({"statement": 7}, "statement"),
    ({"spec": None}, "spec"),
    ({"spec": {}}, "spec"),
    ({"spec": {"steps": [7]}}, "spec.steps[0]"),
    ({"statement": "x", "spec": SPEC}, "spec"),
    ({"pinned": 1}, "pinned"),
    ({"pinned": None}, "pinned"),
    ({"importance": 11}, "importance"),
    ({"importance": "9"}, "importance"),
    ({"importance": None}, "importance"),
    ({"valid_from": "soon"}, "valid_from"),
    ({"valid_from": None}, "valid_from"),
    ({"kind": "event"}, "kind"),
    ({"hard": True}, "hard"),
    ({"subject": "Dana"}, "subject"),
]
OUTCOMES: list[tuple[Json, str]] = [
    ({}, "status"),
    ({"status": "ok"}, "status"),
    ({"status": None}, "status"),
    ({"status": "success", "note": "x"}, "note"),
    *[({"status": "success", "source": source}, field) for source, field in SOURCES],
]
BODIES = ["{", "[]", '"fact"', '{"kind": NaN}', ""]


def _refused(house: House, response: httpx.Response, field: str) -> None:
    _named(house, response, field)
    assert house.data.calls == []


def _named(house: House, response: httpx.Response, field: str) -> None:
    error = fault(response, 422)
    assert (error["code"], error["field"], error["retryable"]) == ("invalid_request", field, False)
    assert "put" not in house.data.verbs()


@pytest.mark.parametrize(("body", "field"), REFUSED)
def test_a_wrong_field_of_a_memory_is_named_before_any_store_call(
    directory_house: House, body: Json, field: str
) -> None:
    _refused(directory_house, send(directory_house, **body), field)


@pytest.mark.parametrize(("body", "field"), PATCHES)
def test_a_wrong_field_of_a_correction_is_named_and_nothing_is_written(
    directory_house: House, body: Json, field: str
) -> None:
    known = [remember(directory_house, "x"), send(directory_house, **PATTERN).json()["memory"]]
    memory = known["spec" in body and "statement" not in body]
    directory_house.data.calls.clear()
    response = directory_house.client.patch(at(memory["id"]), json=body)
    _named(directory_house, response, field)
    assert directory_house.read(at(memory["id"]))["memory"] == memory


@pytest.mark.parametrize(("body", "field"), OUTCOMES)
def test_a_wrong_field_of_an_outcome_is_named_and_nothing_is_written(
    directory_house: House, body: Json, field: str
) -> None:
    rid = send(directory_house, **PATTERN).json()["memory"]["id"]
    directory_house.data.calls.clear()
    response = directory_house.client.post(at(rid, "/outcomes"), json=body)
    _named(directory_house, response, field)


def test_what_is_no_pattern_has_no_outcome(directory_house: House) -> None:
    rid = remember(directory_house, "x")["id"]
    directory_house.data.calls.clear()
    response = directory_house.client.post(at(rid, "/outcomes"), json={"status": "success"})
    _named(directory_house, response, "rid")


def test_to_promote_is_asked_with_an_empty_object(directory_house: House) -> None:
    response = directory_house.client.post(at(NOBODY, "/promote"), json={"name": "x"})
    _refused(directory_house, response, "name")


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"kind": "rule"}, "kind"),
        ({"kind": ""}, "kind"),
        ({"superseded": "perhaps"}, "superseded"),
        ({"limit": "0"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "5.0"}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": "WyJ4Il0"}, "cursor"),
        ({"cursor": "é"}, "cursor"),
    ],
)
def test_a_wrong_parameter_of_a_list_is_named_before_any_store_call(
    directory_house: House, params: dict[str, str], field: str
) -> None:
    _refused(directory_house, directory_house.client.get(MEMORIES, params=params), field)


@pytest.mark.parametrize("key", [" ", "x" * 1_025])
def test_a_key_that_is_none_is_refused(directory_house: House, key: str) -> None:
    _refused(directory_house, send(directory_house, key, **FACT), "Idempotency-Key")
    response = directory_house.client.post(
        at(NOBODY, "/outcomes"), json={"status": "success"}, headers={"Idempotency-Key": key}
    )
    _refused(directory_house, response, "Idempotency-Key")


@pytest.mark.parametrize("body", BODIES)
def test_a_body_that_is_no_json_object_is_malformed(directory_house: House, body: str) -> None:
    headers = {"content-type": "application/json"}
    for method, path in (
        ("POST", MEMORIES),
        ("PATCH", at(NOBODY)),
        ("POST", at(NOBODY, "/outcomes")),
        ("POST", at(NOBODY, "/promote")),
    ):
        response = directory_house.client.request(method, path, content=body, headers=headers)
        assert fault(response, 400)["code"] == "malformed_request"
    assert directory_house.data.calls == []


@pytest.mark.parametrize(
    "rid", ["x", "0" * 31, "0" * 33, "A" * 32, "g" * 32, "..", "%2e%2e", "0" * 31 + "%0A", "٣" * 32]
)
def test_what_is_no_id_of_a_memory_is_not_found_without_a_store_call(
    directory_house: House, rid: str
) -> None:
    client = directory_house.client
    responses = [
        client.get(at(rid)),
        client.patch(at(rid), json={"pinned": True}),
        client.delete(at(rid)),
        client.post(at(rid, "/outcomes"), json={"status": "success"}),
        client.post(at(rid, "/promote"), json={}),
    ]
    for response in responses:
        assert fault(response, 404)["code"] == "not_found"
    assert directory_house.data.calls == []


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/memories/"),
        ("POST", "/v1/memories/"),
        ("DELETE", "/v1/memories"),
        ("PUT", f"/v1/memories/{NOBODY}"),
        ("GET", f"/v1/memories/{NOBODY}/"),
        ("GET", f"/v1/memories/{NOBODY}/promote"),
        ("GET", "/v1/memories/retrieve"),
        ("GET", "/v1/context"),
        ("POST", "/v1/context/"),
    ],
)
def test_what_is_no_route_is_not_found(directory_house: House, method: str, path: str) -> None:
    assert fault(directory_house.client.request(method, path), 404)["code"] == "not_found"
    assert directory_house.data.calls == []
