"""Who calls, deployed with an issuer of tokens: the token says it, and nothing else does."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from deployment.deployed_stack import DeployedStack
from deployment.deployed_talk import answered, append, session
from deployment.signed_requests import Caller
from deployment.token_issuer import TokenIssuer, serving_issuer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1_200),
]
Holder = Callable[..., Caller]


@pytest.fixture(scope="module")
def issuer(built_stack: DeployedStack) -> Iterator[TokenIssuer]:
    with serving_issuer(built_stack.account.certificate) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def signer(built_stack: DeployedStack, issuer: TokenIssuer) -> Caller:
    """A session of a role, whom an API with an issuer does not know."""
    built_stack.having(JwtIssuer=issuer.url, JwtAudience="app,everturn")
    return session(built_stack, session="nina")


@pytest.fixture(scope="module")
def holder(signer: Caller, issuer: TokenIssuer) -> Holder:
    def holder_of(audience: str = "everturn", **claims: str) -> Caller:
        bearer = {"Authorization": f"Bearer {issuer.token(audience=audience, **claims)}"}
        return replace(signer, credentials=None, headers=bearer)

    return holder_of


def test_whoever_holds_a_token_is_the_user_that_it_names(
    built_stack: DeployedStack, holder: Holder
) -> None:
    """The same user as one who signs and has that name."""
    append(holder(sub="nina"), "flight", "The gate is B12.")
    [turn] = answered(holder(sub="nina"), "GET", "/v1/conversations/flight/turns")["turns"]
    assert turn["text"] == "The gate is B12."
    assert "c/default/nina/flight.json" in built_stack.keys("DataBucketName")
    assert holder(sub="eve").ask("GET", "/v1/conversations/flight").status == 404


def test_a_signature_or_a_token_for_others_or_of_yesterday_is_none(
    signer: Caller, holder: Holder
) -> None:
    for refused in (signer, holder(audience="another", sub="nina"), holder(sub="nina", exp="1")):
        assert refused.ask("GET", "/v1/conversations").status == 401


def test_a_token_names_another_user_by_its_scope_alone(holder: Holder) -> None:
    ann = {"x_everturn_tenant": "acme", "x_everturn_actor": "anna"}
    turns = {"turns": [{"role": "user", "text": "The gate is C47."}]}
    path = "/v1/conversations/flight/turns"
    backend = holder(sub="backend", scope="openid everturn/act-as")
    assert backend.ask("POST", path, turns, **ann).status == 200
    assert "C47" in backend.ask("GET", path, **ann).text
    assert holder(sub="eve", scope="openid").ask("GET", path, **ann).status == 403
