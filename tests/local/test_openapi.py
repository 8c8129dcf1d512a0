"""The description of the API: that of the handlers, whole, valid, and the one in the repository.

Not here: that a server answers so (tests/integration/test_schemathesis.py).
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis

from everturn.errors import MisconfiguredError
from everturn.local import openapi
from everturn.local.bundle_files import find_bundle
from everturn.local.openapi import OPERATIONS, openapi_text
from everturn.local.template import read_routes

Described = dict[str, Any]


@pytest.fixture(scope="module")
def text() -> str:
    return openapi_text(find_bundle())


@pytest.fixture(scope="module")
def document(text: str) -> Described:
    described: Described = json.loads(text)
    return described


def operations(document: Described) -> Iterator[tuple[str, Described]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def answers(operation: Described) -> Iterator[tuple[str, Described]]:
    for status, answer in operation["responses"].items():
        if "$ref" not in answer:
            yield status, answer


def test_the_file_in_the_repository_is_made_of_these_handlers(text: str) -> None:
    stored = find_bundle().openapi.read_text("utf-8")
    assert stored == text, "renew it: everturn openapi --output docs/openapi.json"


def test_the_same_handlers_give_the_same_bytes(text: str) -> None:
    assert openapi_text(find_bundle()) == text


def test_it_is_openapi_3_1(document: Described) -> None:
    assert document["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(document).validate()


def test_every_route_of_the_template_is_described_and_no_other(document: Described) -> None:
    routes = {route.key for route in read_routes(find_bundle().template)}
    assert {key for key, _ in operations(document)} == routes
    assert set(OPERATIONS) == routes


def test_a_route_whose_answers_nobody_told_stops_it(monkeypatch: pytest.MonkeyPatch) -> None:
    left = {key: said for key, said in OPERATIONS.items() if key != "DELETE /v1/me"}
    monkeypatch.setattr(openapi, "OPERATIONS", left)
    with pytest.raises(MisconfiguredError, match="route=DELETE /v1/me"):
        openapi_text(find_bundle())


def test_every_operation_has_an_id_a_summary_and_a_group_that_is_told(document: Described) -> None:
    told = {tag["name"] for tag in document["tags"]}
    ids = [operation["operationId"] for _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    for key, operation in operations(document):
        assert set(operation["tags"]) <= told, key
        assert operation["summary"], key


def test_every_success_but_304_has_a_schema(document: Described) -> None:
    for key, operation in operations(document):
        found = dict(answers(operation))
        assert found, key
        for status, answer in found.items():
            assert ("content" in answer) == (status != "304"), (key, status)


def test_every_operation_may_be_refused_in_the_one_form_of_errors(document: Described) -> None:
    usual = {"400", "401", "403", "422", "429", "500", "503"}
    for key, operation in operations(document):
        refused = {status for status, one in operation["responses"].items() if "$ref" in one}
        assert refused >= usual, key
        assert ({"411", "413", "415"} <= refused) or "requestBody" not in operation, key
    for answer in document["components"]["responses"].values():
        schema = answer["content"]["application/json"]["schema"]
        assert schema == {"$ref": "#/components/schemas/ErrorAnswer"}


def test_bodies_are_closed_and_answers_are_open(document: Described) -> None:
    """A field that nobody knows is 422 in a request; in an answer it may come some day."""
    for name, schema in document["components"]["schemas"].items():
        assert (schema.get("additionalProperties") is False) == name.endswith("Body"), name


def test_a_query_or_a_header_has_no_null(document: Described) -> None:
    for key, operation in operations(document):
        for parameter in operation["parameters"]:
            assert "anyOf" not in parameter.get("schema", {}), (key, parameter)


def test_parameters_have_the_names_of_the_api(document: Described) -> None:
    append = document["paths"]["/v1/conversations/{id}/turns"]["post"]["parameters"]
    assert [one.get("name") for one in append[:2]] == ["id", "Idempotency-Key"]
    assert append[2:] == [
        {"$ref": "#/components/parameters/Tenant"},
        {"$ref": "#/components/parameters/Actor"},
    ]
    put = document["paths"]["/v1/documents/{space}/{key}"]["put"]["parameters"]
    assert [one.get("name") for one in put[:4]] == ["space", "key", "If-Match", "If-None-Match"]


def test_links_name_operations_and_their_parameters(document: Described) -> None:
    taken = {
        operation["operationId"]: {one.get("name") for one in operation["parameters"]}
        for _, operation in operations(document)
    }
    links = [
        link
        for _, operation in operations(document)
        for _, answer in answers(operation)
        for link in answer.get("links", {}).values()
    ]
    assert len(links) > 50
    for link in links:
        assert set(link["parameters"]) <= taken[link["operationId"]], link


def test_what_it_refers_to_is_there_and_nothing_is_left_over(document: Described) -> None:
    referred = {reference.rpartition("/")[2] for reference in _references(document)}
    told = [name for names in document["components"].values() for name in names]
    assert set(told) - {"iam", "jwt"} == referred


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)
