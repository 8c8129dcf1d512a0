"""What our client signs is what an API behind IAM checks, in paths, queries and users."""

from typing import Final
from urllib.parse import quote

import pytest

from deployment.deployed_stack import DeployedStack
from deployment.deployed_talk import answered, append, session
from deployment.signed_requests import Caller

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1_200),
]
# Characters that AWS encodes once more in a path, and those that it leaves.
IDS: Final = ("two words", "a+b&c=d", "Zürich", "x:y;z,@$!*'()", "50%", "~tilde_-.")


@pytest.fixture(scope="module")
def signer(built_stack: DeployedStack) -> Caller:
    built_stack.having()
    return session(built_stack, session="nina")


@pytest.mark.parametrize("id_", IDS)
def test_any_id_in_a_path_is_signed_as_it_is_sent(signer: Caller, id_: str) -> None:
    segment = quote(id_, safe="")
    assert append(signer, segment, "hello")["appended"] == 1
    assert answered(signer, "GET", f"/v1/conversations/{segment}/turns")["turn_count"] == 1


@pytest.mark.parametrize("asked", ["two words", "a+b", "ü&ß=%", "*~'"])
def test_any_query_is_signed_as_it_is_sent(signer: Caller, asked: str) -> None:
    with signer.client() as client:
        answer = client.get("/v1/conversations", params={"q": asked, "limit": 5, "folder": ""})
    assert answer.status_code in {200, 422}, answer.text
