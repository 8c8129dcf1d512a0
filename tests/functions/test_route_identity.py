"""Who may call each route, by which identity: events of every kind through the real handlers."""

from typing import Final

import pytest

from functions.every_route import CALLS, Call
from functions.invoked import SESSION, Authorizer, Invoked, iam, jwt

every_route = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.route)


@pytest.fixture(scope="module")
def invoke(tmp_path_factory: pytest.TempPathFactory) -> Invoked:
    return Invoked(tmp_path_factory.mktemp("store"))


ACTING: Final = {"x-everturn-tenant": "acme", "x-everturn-actor": "bob"}
NOBODY: Final[dict[str, Authorizer]] = {
    "no authorizer": None,
    "an empty one": {},
    "one of nothing": {"iam": None, "jwt": None},
    "a Lambda's": {"lambda": {"userArn": f"{SESSION}/FrontRole/i-1", "sub": "u-1"}},
    "no claims": {"jwt": {"claims": {}}},
    "no subject": jwt(sub=None),
    "a blank subject": jwt(sub=""),
    "a number for a subject": jwt(sub=7),
    "a list for a subject": jwt(sub=["u-1"]),
}


@every_route
def test_whoever_is_nobody_gets_nothing_on_any_route(invoke: Invoked, call: Call) -> None:
    before = invoke.files()
    for name, authorizer in NOBODY.items():
        for headers in ({}, ACTING):
            status, body = invoke(call, authorizer, headers)
            assert (status, body["error"]["code"]) == (401, "unauthenticated"), name
    assert invoke.files() == before


STRANGERS: Final[dict[str, Authorizer]] = {
    "another role": iam(f"{SESSION}/OtherRole/FrontRole"),
    "the role of another account": iam("arn:aws:sts::999999999999:assumed-role/FrontRole/i-1"),
    "a name that begins so": iam(f"{SESSION}/FrontRole2/i-1"),
    "a name in other letters": iam(f"{SESSION}/frontrole/i-1"),
    "a session called as the role": iam(f"{SESSION}/Other/team/front/FrontRole"),
    "the path before the name": iam(f"{SESSION}/team/front/FrontRole"),
    "a user of that name": iam("arn:aws:iam::123456789012:user/FrontRole"),
    "a user below that path": iam("arn:aws:iam::123456789012:user/assumed-role/FrontRole/i"),
    "no scope": jwt(),
    "a scope that begins so": jwt(scope="everturn/act-as-well"),
    "a scope that ends so": jwt(scope="not-everturn/act-as"),
    "a scope in other letters": jwt(scope="Everturn/Act-As"),
    "a scope that is a list": jwt(scope=["everturn/act-as"]),
    "a scope under another name": jwt(scp="everturn/act-as", scopes="everturn/act-as"),
    "a scope with a comma": jwt(scope="openid,everturn/act-as"),
    "a tenant that is the scope": jwt(**{"custom:tenant": "everturn/act-as"}),
}


@every_route
def test_a_caller_that_only_looks_like_a_trusted_one_acts_for_nobody(
    invoke: Invoked, call: Call
) -> None:
    """On every route, with a body or without one, and whichever of the headers is sent."""
    before = invoke.files()
    for name, authorizer in STRANGERS.items():
        for header, value in ACTING.items():
            status, body = invoke(call, authorizer, {header: value})
            assert (status, body["error"]["code"]) == (403, "forbidden"), name
    assert invoke.files() == before


READ: Final = Call("GET /v1/conversations/{id}")
APPEND: Final = next(call for call in CALLS if call.route.endswith("/turns") and call.body)

TRUSTED: Final[dict[str, Authorizer]] = {
    "a session of the role": iam(f"{SESSION}/FrontRole/i-1"),
    "one with odd characters": iam(f"{SESSION}/FrontRole/a+b=c,d.e@f-g_h"),
    "a scope among others": jwt(scope="openid everturn/act-as email"),
    "a scope behind two blanks": jwt(scope="  everturn/act-as"),
}


@pytest.mark.parametrize("kind", TRUSTED)
def test_a_trusted_caller_is_the_user_that_it_names(invoke: Invoked, kind: str) -> None:
    authorizer = TRUSTED[kind]
    user = {"x-everturn-tenant": "acme", "x-everturn-actor": f"named by {kind}"}
    assert invoke(READ, authorizer, user)[0] == 404
    assert invoke(APPEND, authorizer, user)[0] == 200
    assert invoke(READ, authorizer, user)[0] == 200
    assert invoke(READ, authorizer, {**user, "x-everturn-tenant": "other"})[0] == 404


@pytest.mark.parametrize("value", ["bob,carol", "bob, carol", "bob,bob"])
def test_a_header_that_comes_twice_is_no_way_to_another_user(invoke: Invoked, value: str) -> None:
    """API Gateway joins repeated headers by commas: that is one odd name, and neither of the two.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    front = iam(f"{SESSION}/FrontRole/i-1")
    for actor in ("bob", "carol"):
        assert invoke(APPEND, front, {**ACTING, "x-everturn-actor": actor})[0] == 200
    assert invoke(READ, front, {**ACTING, "x-everturn-actor": value})[0] == 404


OWN: Final[dict[str, tuple[Authorizer, Authorizer]]] = {
    "two sessions": (iam(f"{SESSION}/Agent/a"), iam(f"{SESSION}/Agent/b")),
    "a session and a user": (iam(f"{SESSION}/Agent/c"), iam("arn:aws:iam::1:user/c")),
    "names in other letters": (iam(f"{SESSION}/Agent/d"), iam(f"{SESSION}/Agent/D")),
    "odd characters": (iam(f"{SESSION}/Agent/e@x.y"), iam(f"{SESSION}/Agent/e=x.y")),
    "two tenants": (jwt(sub="f", **{"custom:tenant": "x"}), jwt(sub="f", **{"custom:tenant": "y"})),
    "a tenant and none": (jwt(sub="g", **{"custom:tenant": "x"}), jwt(sub="g")),
    "a claim of another name": (jwt(sub="h", tenant="x"), jwt(sub="h", **{"custom:tenant": "x"})),
    "a subject with a slash": (jwt(sub="user/i"), jwt(sub="i")),
}


@pytest.mark.parametrize(("one", "other"), OWN.values(), ids=OWN)
def test_two_identities_are_two_users(invoke: Invoked, one: Authorizer, other: Authorizer) -> None:
    assert invoke(APPEND, one, {})[0] == 200
    assert invoke(READ, one, {})[0] == 200
    assert invoke(READ, other, {})[0] == 404


@pytest.mark.parametrize("partition", ["aws", "aws-us-gov", "aws-cn", "aws-iso-b"])
def test_a_session_is_the_same_user_in_every_partition(invoke: Invoked, partition: str) -> None:
    """A deployment has one partition, whose name says nothing of who calls."""
    arn = f"arn:{partition}:sts::123456789012:assumed-role/Agent/{partition}"
    assert invoke(APPEND, iam(arn), {})[0] == 200
    assert invoke(READ, iam(arn), ACTING)[0] == 403


ODD: Final[dict[str, tuple[Authorizer, int]]] = {
    "a tenant that is a number": (jwt(**{"custom:tenant": 7}), 403),
    "a tenant that is a list": (jwt(**{"custom:tenant": ["acme"]}), 403),
    "a tenant that is blank": (jwt(**{"custom:tenant": " "}), 422),
    "a tenant with a line": (jwt(**{"custom:tenant": "a\nb"}), 422),
    "a subject with a line": (jwt(sub="a\nb"), 422),
    "a subject beyond all ids": (jwt(sub="x" * 1_025), 422),
    "the account itself": (iam("arn:aws:iam::123456789012:root"), 403),
    "a federated user": (iam("arn:aws:sts::123456789012:federated-user/bob"), 403),
    "a role without a session": (iam(f"{SESSION}/FrontRole"), 403),
    "no arn": (iam("somebody"), 403),
    "a number for an arn": (iam(7), 500),
    "both, by one token": ({**(jwt() or {}), **(iam(f"{SESSION}/FrontRole/i") or {})}, 200),
}


@pytest.mark.parametrize(("authorizer", "status"), ODD.values(), ids=ODD)
def test_an_odd_identity_is_refused_and_never_somebody_else(
    invoke: Invoked, authorizer: Authorizer, status: int
) -> None:
    call = Call("GET /v1/conversations")
    assert invoke(call, authorizer, {})[0] == status


def test_a_token_with_a_signature_beside_it_is_trusted_as_the_token(invoke: Invoked) -> None:
    """No authorizer of ours sends both; the weaker of the two must not borrow from the other."""
    both = {**(jwt() or {}), **(iam(f"{SESSION}/FrontRole/i") or {})}
    assert invoke(READ, both, ACTING)[0] == 403


@pytest.mark.parametrize("name", ["X-Everturn-Actor", "X-EVERTURN-ACTOR"])
def test_a_header_in_upper_case_makes_nobody_somebody_else(invoke: Invoked, name: str) -> None:
    """An HTTP API sends names in lower case: one in other letters is no header of it."""
    own = iam(f"{SESSION}/Agent/sends-{name}")
    assert invoke(APPEND, iam(f"{SESSION}/Agent/victim"), {})[0] == 200
    assert invoke(READ, own, {name: "victim"})[0] == 404
