"""What STS answers with 200, on the wire: the credentials in it, or none."""

from typing import Any

import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from emulation.s3_endpoint import dummy_environment
from emulation.s3_faults import answered_with
from everturn.adapters.aws.scope_credentials import ScopeCredentials, make_client
from everturn.adapters.system_clock import SystemClock
from everturn.errors import NotSentError
from everturn.values.keys import Scope

ALICE = Scope("acme", "alice")
_GOOD = {
    "AccessKeyId": "key",
    "SecretAccessKey": "secret",
    "SessionToken": "token",
    "Expiration": "2038-01-19T03:14:07Z",
}


def _written(**changed: str | None) -> str:
    """An answer as STS writes it, with other fields, or without those that are None."""
    rows = "".join(
        f"<{name}>{text}</{name}>"
        for name, text in {**_GOOD, **changed}.items()
        if text is not None
    )
    return f"<AssumeRoleResult><Credentials>{rows}</Credentials></AssumeRoleResult>"


def _held_by(answer: str) -> ScopeCredentials:
    """Credentials of an STS that answers 200 and this."""
    body = f"<AssumeRoleResponse>{answer}</AssumeRoleResponse>".encode() if answer else b""

    def send(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        return answered_with(request, 200, body)

    sts: Any = make_client(endpoint_url="http://127.0.0.1:9")
    sts.meta.events.register("before-send.sts.AssumeRole", send)
    return ScopeCredentials(sts, role_arn="arn:role", policy_arn="", clock=SystemClock())


def test_the_credentials_of_an_answer_are_handed_out() -> None:
    with dummy_environment():
        found = _held_by(_written()).of(ALICE)
    assert (found.access_key, found.secret_key, found.token) == ("key", "secret", "token")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "x",
        "<AssumeRoleResult/>",
        "<AssumeRoleResult/><AssumeRoleResult/>",
        "<AssumeRoleResult><Credentials/></AssumeRoleResult>",
        "<AssumeRoleResult><Credentials>x</Credentials></AssumeRoleResult>",
        *(_written(**{name: None}) for name in _GOOD),
        *(_written(**{name: ""}) for name in _GOOD),
        *(_written(Expiration=time) for time in ("soon", "99999-01-01", "1e400", "0001-01-01")),
    ],
)
def test_an_answer_without_whole_credentials_is_none(answer: str) -> None:
    """Whatever is in the way between here and STS says: the next call asks anew."""
    with dummy_environment():
        held = _held_by(answer)
        for _ in range(2):
            with pytest.raises(NotSentError, match="role of a scope"):
                held.of(ALICE)
