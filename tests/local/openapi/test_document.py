"""The description of the API: that of the handlers, whole, valid, and the one in the repository."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any, Final

import jsonschema_rs
import pytest
import schemathesis
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from everturn.edge.responses.base import STATUS
from everturn.errors import EverturnError, MisconfiguredError
from everturn.local.bundle import find_bundle
from everturn.local.guard import LengthRequiredError, refusal
from everturn.local.openapi import document as openapi
from everturn.local.openapi.document import OPERATIONS, openapi_text
from everturn.local.template import read_routes

Described = dict[str, Any]
OURS: Final = ["ErrorAnswer"]
GATEWAYS: Final = ["GatewayAnswer"]
# 411 is the local server's, 429 and 502 are API Gateway's.
FORMS: Final = {
    "400": OURS + GATEWAYS,
    "401": OURS + GATEWAYS,
    "403": OURS + GATEWAYS,
    "404": OURS + GATEWAYS,
    "409": OURS,
    "410": OURS,
    "411": OURS,
    "412": OURS,
    "413": OURS + GATEWAYS,
    "415": OURS,
    "422": OURS,
    "429": GATEWAYS,
    "500": OURS + GATEWAYS,
    "502": GATEWAYS,
    "503": OURS + GATEWAYS,
}


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


def test_it_is_openapi_3_1(text: str) -> None:
    # A copy of its own: a hook of another test in this process may change what is loaded.
    document = json.loads(text)
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


def test_every_operation_names_what_any_of_them_may_be_refused_with(document: Described) -> None:
    """413 too: whatever a route answers may be larger than Lambda hands on."""
    usual = {"400", "401", "403", "413", "422", "429", "500", "502", "503"}
    for key, operation in operations(document):
        refused = {status for status, one in operation["responses"].items() if "$ref" in one}
        assert refused >= usual, key
        assert ({"411", "415"} <= refused) == ("requestBody" in operation), key


def test_an_error_has_our_form_that_of_api_gateway_or_either(document: Described) -> None:
    told = document["components"]["responses"].items()
    schemas = {key: answer["content"]["application/json"]["schema"] for key, answer in told}
    forms = {key: schema.get("anyOf", [schema]) for key, schema in schemas.items()}
    assert forms == {
        key: [{"$ref": f"#/components/schemas/{name}"} for name in names]
        for key, names in FORMS.items()
    }


def test_every_status_of_ours_may_have_our_form_and_no_other_may() -> None:
    statuses = {str(status) for status in STATUS.values()} | {"411"}
    assert statuses == {status for status, names in FORMS.items() if set(OURS) <= set(names)}


@pytest.mark.parametrize("kind", [*STATUS, LengthRequiredError])
def test_an_error_of_ours_is_described(document: Described, kind: type[EverturnError]) -> None:
    for error in (kind("why"), kind("why", field="turns.0")):
        answer = refusal(error, request_id="r")
        assert is_described(document, answer.status, json.loads(answer.body))
        assert not is_described(document, answer.status, {"error": {"code": error.code}})


@pytest.mark.parametrize("status", [key for key in FORMS if "GatewayAnswer" in FORMS[key]])
def test_an_error_that_api_gateway_answers_itself_is_described(
    document: Described, status: str
) -> None:
    """Before a handler is asked, or where it has none, there is no `error`.

    https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
    """
    assert is_described(document, int(status), {"message": "Internal Server Error"})
    assert not is_described(document, int(status), {})


def is_described(document: Described, status: int, body: object) -> bool:
    """Say whether a body is one that the description has for an error of this status."""
    content = document["components"]["responses"][str(status)]["content"]
    schema = {**content["application/json"]["schema"], "components": document["components"]}
    return jsonschema_rs.Draft202012Validator(schema).is_valid(body)


def test_powertools_keeps_its_routes_where_they_are_read() -> None:
    """Both lists are private to it, so that any version may move them (3.37 was tried)."""
    app = APIGatewayHttpResolver()
    app.get("/still")(dict)
    app.get("/<name>")(lambda name: {"name": name})
    found = [
        [route.openapi_path for route in getattr(app, name, [])]
        for name in ("_static_routes", "_dynamic_routes")
    ]
    installed = version("aws-lambda-powertools")
    assert found == [["/still"], ["/{name}"]], f"not in {installed}: see requests.py"


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
