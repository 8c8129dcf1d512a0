"""The HTTP API: its routes, who may call them, and what it logs."""

import json
import re

import pytest

from template.loaded import Template, loaded, of_type
from template.resolved import resolved

JWT = {"JwtIssuer": "https://issuer.example.com/", "JwtAudience": "web,mobile"}

ROUTES = {
    "POST /v1/conversations/{id}/turns": "Append",
    "POST /v1/conversations/{id}/consolidate": "Append",
    "POST /v1/conversations": "Conversations",
    "GET /v1/conversations/{id}": "Conversations",
    "PATCH /v1/conversations/{id}": "Conversations",
    "DELETE /v1/conversations/{id}": "Conversations",
    "GET /v1/conversations/{id}/turns": "Conversations",
    "GET /v1/conversations/{id}/export": "Conversations",
    "GET /v1/conversations": "List",
    "GET /v1/turns/recent": "List",
    "PATCH /v1/conversations/{id}/turns/{number}": "Turns",
    "DELETE /v1/conversations/{id}/turns/last": "Turns",
    "GET /v1/export": "Actor",
    "DELETE /v1/me": "Actor",
    "POST /v1/conversations/{id}/recall": "Recall",
    "POST /v1/recall": "Recall",
    "POST /v1/themes": "Recall",
    "GET /v1/status": "Recall",
    "POST /v1/memories": "Remember",
    "GET /v1/memories": "Remember",
    "GET /v1/memories/{rid}": "Remember",
    "PATCH /v1/memories/{rid}": "Remember",
    "DELETE /v1/memories/{rid}": "Remember",
    "POST /v1/memories/{rid}/outcomes": "Patterns",
    "POST /v1/memories/{rid}/promote": "Patterns",
    "POST /v1/memories/retrieve": "Retrieve",
    "POST /v1/memories/pinned": "Retrieve",
    "POST /v1/memories/procedural": "Retrieve",
    "POST /v1/context": "Retrieve",
    "GET /v1/documents/{space}": "Documents",
    "GET /v1/documents/{space}/{key}": "Documents",
    "PUT /v1/documents/{space}/{key}": "Documents",
    "DELETE /v1/documents/{space}/{key}": "Documents",
}


def _routes(**parameters: str) -> list[Template]:
    return list(of_type(resolved(**parameters), "AWS::ApiGatewayV2::Route").values())


def _target(route: Template) -> str:
    """The ARN of the function behind a route."""
    integrations = of_type(resolved(), "AWS::ApiGatewayV2::Integration")
    arn: str = integrations[route["Target"].removeprefix("integrations/")]["IntegrationUri"]
    return arn


def test_each_route_reaches_its_function() -> None:
    assert {route["RouteKey"]: _target(route) for route in _routes()} == {
        key: f"arn:{function}" for key, function in ROUTES.items()
    }


def test_no_route_stands_twice_and_none_catches_what_others_do_not() -> None:
    keys = [route["RouteKey"] for route in _routes()]
    assert len(set(keys)) == len(keys)
    wanted = r"(GET|POST|PUT|PATCH|DELETE) /v1(/[a-z]+|/\{(id|rid|number|space|key)\})+"
    assert all(re.fullmatch(wanted, key) for key in keys)


def test_every_route_is_signed_with_iam_by_default() -> None:
    assert {route["AuthorizationType"] for route in _routes()} == {"AWS_IAM"}
    assert not [route for route in _routes() if "AuthorizerId" in route]
    assert "JwtAuthorizer" not in resolved()["Resources"]


def test_every_route_asks_for_a_token_where_an_issuer_is_given() -> None:
    routes = _routes(**JWT)
    assert {(route["AuthorizationType"], route["AuthorizerId"]) for route in routes} == {
        ("JWT", "JwtAuthorizer")
    }


def test_the_authorizer_takes_the_issuer_and_every_audience() -> None:
    [authorizer] = of_type(resolved(**JWT), "AWS::ApiGatewayV2::Authorizer").values()
    assert authorizer["AuthorizerType"] == "JWT"
    assert authorizer["IdentitySource"] == ["$request.header.Authorization"]
    assert authorizer["JwtConfiguration"] == {
        "Issuer": "https://issuer.example.com/",
        "Audience": ["web", "mobile"],
    }


@pytest.mark.parametrize(("audience", "holds"), [("", False), ("web", True)])
def test_an_issuer_without_an_audience_is_refused_at_deployment(
    *, audience: str, holds: bool
) -> None:
    rule = resolved(JwtIssuer=JWT["JwtIssuer"], JwtAudience=audience)["Rules"]["JwtNeedsAudience"]
    assert rule["RuleCondition"] is True
    assert [assertion["Assert"] for assertion in rule["Assertions"]] == [holds]


def test_events_have_the_payload_format_2_0() -> None:
    for integration in of_type(resolved(), "AWS::ApiGatewayV2::Integration").values():
        assert integration["IntegrationType"] == "AWS_PROXY"
        assert integration["PayloadFormatVersion"] == "2.0"


def test_the_api_alone_may_invoke_each_function_behind_it() -> None:
    permissions = of_type(resolved(), "AWS::Lambda::Permission").values()
    assert {permission["FunctionName"] for permission in permissions} == set(ROUTES.values())
    for permission in permissions:
        assert permission["Principal"] == "apigateway.amazonaws.com"
        assert permission["SourceArn"].endswith(":Api/*/*")


def test_everything_belongs_to_the_one_http_api() -> None:
    template = resolved(**JWT)
    [(name, api)] = of_type(template, "AWS::ApiGatewayV2::Api").items()
    assert api["ProtocolType"] == "HTTP"
    for kind in ("Stage", "Route", "Integration", "Authorizer"):
        parts = of_type(template, f"AWS::ApiGatewayV2::{kind}").values()
        assert {part["ApiId"] for part in parts} == {name}


def test_the_stage_deploys_itself_and_throttles_as_told() -> None:
    limits = {"ThrottlingRateLimit": "7", "ThrottlingBurstLimit": "9"}
    [stage] = of_type(resolved(**limits), "AWS::ApiGatewayV2::Stage").values()
    assert (stage["StageName"], stage["AutoDeploy"]) == ("$default", True)
    assert stage["DefaultRouteSettings"] == limits


def test_the_access_log_is_json_and_holds_nothing_of_the_user() -> None:
    """Ids are in paths, cursors and words in queries: neither is logged."""
    [stage] = of_type(loaded(), "AWS::ApiGatewayV2::Stage").values()
    variables = set(json.loads(stage["AccessLogSettings"]["Format"]).values())
    assert variables == {
        "$context.requestId",
        "$context.requestTime",
        "$context.routeKey",
        "$context.status",
        "$context.responseLatency",
        "$context.integrationLatency",
    }
