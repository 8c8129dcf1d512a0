"""The sample events: each is of the shape that API Gateway sends, for a route that exists."""

import base64
import json
from collections import defaultdict
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from template.loaded import ROOT, Template, of_type
from template.resolved import resolved

PATHS = sorted((ROOT / "tests" / "events").glob("*.json"))
ROUTE_KEYS = {r["RouteKey"] for r in of_type(resolved(), "AWS::ApiGatewayV2::Route").values()}
ACT_AS = {"x-everturn-tenant", "x-everturn-actor"}

every_event = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@cache
def _event(path: Path) -> Template:
    event: Template = json.loads(path.read_text(encoding="utf-8"))
    return event


def _caller(event: Template) -> str:
    return ",".join(event["requestContext"].get("authorizer", {"nobody": {}}))


@every_event
def test_an_event_names_a_route_of_the_template_in_every_place(path: Path) -> None:
    event = _event(path)
    context = event["requestContext"]
    assert event["version"] == "2.0"
    assert event["routeKey"] in ROUTE_KEYS
    assert context["routeKey"] == event["routeKey"]
    method, pattern = event["routeKey"].split(" ")
    assert context["http"]["method"] == method
    parameters = event.get("pathParameters", {})
    assert event["rawPath"] == context["http"]["path"] == pattern.format(**parameters)


@every_event
def test_the_names_of_headers_are_lower_case(path: Path) -> None:
    headers = _event(path)["headers"]
    assert list(headers) == [name.lower() for name in headers]


@every_event
def test_the_query_is_given_encoded_and_decoded_with_repeats_joined(path: Path) -> None:
    event = _event(path)
    raw = event["rawQueryString"]
    values = defaultdict(list)
    for name, value in parse_qsl(raw, strict_parsing=True) if raw else ():
        values[name].append(value)
    joined = {name: ",".join(group) for name, group in values.items()}
    assert event.get("queryStringParameters", {}) == joined


@every_event
def test_the_length_told_is_the_length_of_the_body(path: Path) -> None:
    event = _event(path)
    body = event.get("body", "")
    raw = base64.b64decode(body, validate=True) if event["isBase64Encoded"] else body.encode()
    assert int(event["headers"].get("content-length", "0")) == len(raw)


@every_event
def test_a_body_is_a_json_object_unless_the_name_says_otherwise(path: Path) -> None:
    event = _event(path)
    if event.get("body") is None:
        return
    body = base64.b64decode(event["body"]) if event["isBase64Encoded"] else event["body"]
    if path.stem == "append_malformed":
        with pytest.raises(json.JSONDecodeError):
            json.loads(body)
    else:
        assert isinstance(json.loads(body), dict)


@every_event
def test_the_act_as_headers_are_there_exactly_where_the_name_says(path: Path) -> None:
    sent = ACT_AS & set(_event(path)["headers"])
    assert sent == (ACT_AS if "act_as" in path.stem else set())


@every_event
def test_the_caller_is_the_one_that_the_name_says(path: Path) -> None:
    expected = "jwt" if "jwt" in path.stem else "iam"
    assert _caller(_event(path)) == ("nobody" if path.stem.endswith("no_authorizer") else expected)


def test_every_route_is_called_by_iam_by_jwt_and_for_somebody_else() -> None:
    kinds = {
        (event["routeKey"], _caller(event), set(event["headers"]) >= ACT_AS)
        for event in map(_event, PATHS)
    }
    wanted = [("iam", False), ("jwt", False), ("iam", True)]
    assert {(route_key, *kind) for route_key in ROUTE_KEYS for kind in wanted} <= kinds
