"""Whose data a request is about, by its identity alone."""

from typing import Any

import pytest

from everturn.edge.identity import scope_of
from everturn.errors import (
    EverturnError,
    ForbiddenError,
    InvalidRequestError,
    UnauthenticatedError,
)
from everturn.settings.process import Role, Settings, parse_address
from everturn.values.keys import Scope

STORE = parse_address("s3://bucket")
SETTINGS = Settings(STORE, STORE, frozenset({Role("111122223333", "Front")}), "custom:tenant")
SESSION = "arn:aws:sts::111122223333:assumed-role"


def event(authorizer: dict[str, Any] | None, **headers: str) -> dict[str, Any]:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"requestContext": {"authorizer": authorizer}, "headers": names}


def iam(arn: str) -> dict[str, Any]:
    return {"iam": {"userArn": arn}}


def jwt(**claims: str) -> dict[str, Any]:
    return {"jwt": {"claims": {name.replace("__", ":"): value for name, value in claims.items()}}}


@pytest.mark.parametrize(
    ("authorizer", "scope"),
    [
        (iam(f"{SESSION}/Agent/alice"), Scope("default", "alice")),
        (iam("arn:aws:iam::111122223333:user/alice"), Scope("default", "user/alice")),
        (jwt(sub="u-1"), Scope("default", "u-1")),
        (jwt(sub="u-1", custom__tenant="acme"), Scope("acme", "u-1")),
        (jwt(sub="u-1", tenant="acme"), Scope("default", "u-1")),
    ],
)
def test_the_scope_is_that_of_the_signature_or_the_token(
    authorizer: dict[str, Any], scope: Scope
) -> None:
    assert scope_of(event(authorizer), SETTINGS) == scope


def test_a_user_and_a_session_of_one_name_are_two_actors() -> None:
    user = scope_of(event(iam("arn:aws:iam::111122223333:user/alice")), SETTINGS)
    session = scope_of(event(iam(f"{SESSION}/Agent/alice")), SETTINGS)
    assert user != session


@pytest.mark.parametrize(
    "authorizer",
    [iam(f"{SESSION}/Front/i-1"), jwt(sub="svc", scope="openid everturn/act-as")],
)
def test_a_trusted_caller_names_the_user(authorizer: dict[str, Any]) -> None:
    asked = event(authorizer, x_everturn_tenant="acme", x_everturn_actor="bob")
    assert scope_of(asked, SETTINGS) == Scope("acme", "bob")


def test_a_trusted_caller_without_headers_is_itself() -> None:
    assert scope_of(event(iam(f"{SESSION}/Front/i-1")), SETTINGS) == Scope("default", "i-1")


def test_an_actor_without_a_tenant_is_of_the_callers_tenant() -> None:
    asked = event(iam(f"{SESSION}/Front/i-1"), x_everturn_actor="bob")
    assert scope_of(asked, SETTINGS) == Scope("default", "bob")


@pytest.mark.parametrize(
    ("authorizer", "headers", "error"),
    [
        (iam(f"{SESSION}/Agent/alice"), {"x_everturn_actor": "bob"}, ForbiddenError),
        (iam(f"{SESSION}/Agent/Front"), {"x_everturn_actor": "bob"}, ForbiddenError),
        (iam(f"{SESSION}/Agent/alice"), {"x_everturn_tenant": "acme"}, ForbiddenError),
        (iam("arn:aws:sts::999:assumed-role/Front/i-1"), {"x_everturn_actor": "b"}, ForbiddenError),
        (iam("arn:aws:iam::111122223333:user/Front"), {"x_everturn_actor": "b"}, ForbiddenError),
        (jwt(sub="u", scope="everturn/act-as-not"), {"x_everturn_actor": "b"}, ForbiddenError),
        (iam("arn:aws:iam::111122223333:root"), {}, ForbiddenError),
        (iam(f"{SESSION}/Front/i"), {"x_everturn_tenant": "acme"}, InvalidRequestError),
        (iam(f"{SESSION}/Front/i"), {"x_everturn_actor": "\u200b"}, InvalidRequestError),
        (iam(f"{SESSION}/Front/i"), {"x_everturn_actor": "a\nb"}, InvalidRequestError),
        (jwt(iss="someone"), {}, UnauthenticatedError),
        ({}, {}, UnauthenticatedError),
        (None, {}, UnauthenticatedError),
    ],
)
def test_anyone_else_is_refused(
    authorizer: dict[str, Any] | None, headers: dict[str, str], error: type[EverturnError]
) -> None:
    with pytest.raises(error):
        scope_of(event(authorizer, **headers), SETTINGS)
