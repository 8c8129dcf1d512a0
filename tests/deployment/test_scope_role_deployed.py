"""Deployed with `TenantRole`.

Functions reach no object by themselves, and one user's by a session.
"""

import json
from collections.abc import Callable
from typing import Any, Final, Self

import pytest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from deployment.deployed_stack import DeployedStack
from deployment.deployed_talk import (
    answered,
    append,
    eventually,
    refused_routes,
    session,
    statements,
)
from deployment.emulated_template import KIM, LEE, MIA
from deployment.ministack import ACCOUNT
from deployment.signed_requests import Caller, credentials_of
from everturn.adapters.aws.scope_credentials import ScopeCredentials, session_tags
from everturn.adapters.system_clock import SystemClock
from everturn.values.job import Job
from everturn.values.keys import Scope, head_key, key_token

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1_200),
]
SAID: Final = "My name is Kim. Remember that the gate is B12."
# All that work for one user at a time; the sweep does not.
FUNCTIONS: Final = (
    "Append", "Conversations", "List", "Documents", "Turns", "Actor", "Recall", "Remember",
    "Patterns", "Retrieve", "Consolidate",
)  # fmt: skip


@pytest.fixture(scope="module")
def stack(built_stack: DeployedStack) -> DeployedStack:
    return built_stack.having(TenantRole="true")


@pytest.fixture(scope="module")
def kim(stack: DeployedStack) -> Caller:
    return session(stack, session=KIM.actor)


@pytest.fixture(scope="module")
def talked(kim: Caller, stack: DeployedStack) -> None:
    """Two users have said something in a conversation of the same name."""
    append(kim, "talk", SAID)
    append(session(stack, session=LEE.actor), "talk", "Remember that the gate is D18.")


@pytest.fixture(scope="module")
def appending(stack: DeployedStack) -> Credentials:
    """A session of the function Append, as Lambda hands it to the function."""
    return credentials_of(stack.account, role=stack.resources["AppendRole"])


def _role_arn(stack: DeployedStack) -> str:
    return f"arn:aws:iam::{ACCOUNT}:role/{stack.resources['ScopeRole']}"


def _of_scope(
    stack: DeployedStack, function: Credentials, scope: Scope, policy: str
) -> Credentials:
    """What the function itself would sign with for a user."""
    sts = stack.account.client("sts", function)
    arn = stack.resources[policy] if policy else ""
    given = ScopeCredentials(
        sts, role_arn=_role_arn(stack), policy_arn=arn, clock=SystemClock()
    ).of(scope)
    sts.close()
    return given


def _decided(call: Callable[..., Any], **asked: object) -> str:
    """What is decided about a request, which may be one that cannot be done."""
    try:
        call(**asked)
    except ClientError as exc:
        return _DECIDED[exc.response["Error"]["Code"]]
    return "allowed"


_DECIDED: Final = {
    "AccessDenied": "refused",
    "NoSuchKey": "allowed",
    "PreconditionFailed": "allowed",
}


class _Objects:
    """What some credentials may do with the buckets; the writes that are tried are never done."""

    def __init__(self, stack: DeployedStack, credentials: Credentials) -> None:
        self._s3 = stack.account.client("s3", credentials)
        self._buckets = {name: stack.resources[name] for name in ("DataBucket", "DerivedBucket")}

    def get(self, key: str, bucket: str = "DataBucket") -> str:
        return _decided(self._s3.get_object, Bucket=self._buckets[bucket], Key=key)

    def put(self, key: str, bucket: str = "DataBucket") -> str:
        never = {"Body": b"", "IfMatch": '"no version of it"'}
        return _decided(self._s3.put_object, Bucket=self._buckets[bucket], Key=key, **never)

    def list(self, prefix: str | None, bucket: str = "DataBucket") -> str:
        asked = {} if prefix is None else {"Prefix": prefix}
        return _decided(self._s3.list_objects_v2, Bucket=self._buckets[bucket], **asked)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._s3.close()


@pytest.mark.usefixtures("talked")
def test_what_a_user_said_is_found_remembered_and_deleted(
    stack: DeployedStack, kim: Caller
) -> None:
    [row] = answered(kim, "GET", "/v1/conversations")["conversations"]
    assert (row["conversation_id"], row["preview"]) == ("talk", SAID)
    [hit] = answered(kim, "POST", "/v1/conversations/talk/recall", {"query": "the gate"})["hits"]
    assert hit["text"] == SAID
    eventually(stack.account, lambda: statements(kim), until=lambda found: "B12" in str(found))
    snippets = answered(kim, "POST", "/v1/memories/retrieve", {"query": "the gate"})["snippets"]
    assert "B12" in snippets[0]["text"]
    assert "D18" not in json.dumps(snippets)
    append(kim, "gone", "Nothing.")
    assert answered(kim, "DELETE", "/v1/conversations/gone")["complete"]
    assert kim.ask("GET", "/v1/conversations/gone").status == 404


def test_every_route_is_answered_to_a_user_whose_keys_hold_a_hash(stack: DeployedStack) -> None:
    mia = session(stack, session=MIA.actor)
    append(mia, "talk", "Hello.")
    assert any(f"/{key_token(MIA.actor)}/" in key for key in stack.keys("DataBucketName"))
    assert refused_routes(mia) == {}


def test_a_user_whom_the_role_of_scopes_does_not_allow_gets_nothing(stack: DeployedStack) -> None:
    """No other credentials help out: the role here knows three users."""
    refused = session(stack, session="nobody").ask("GET", "/v1/conversations/talk")
    assert (refused.status, refused.json["error"]["code"]) == (500, "store_error")


@pytest.mark.usefixtures("talked")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_reaches_no_object_of_anybody_by_itself(
    stack: DeployedStack, function: str
) -> None:
    own = credentials_of(stack.account, role=stack.resources[f"{function}Role"])
    key = head_key(KIM, "talk")
    index = "i/default/kim/conversations"
    with _Objects(stack, own) as objects:
        assert {objects.get(key), objects.put(key)} == {"refused"}
        assert {objects.list("c/default/kim/"), objects.list(None)} == {"refused"}
        on_derived = {verb(index, "DerivedBucket") for verb in (objects.get, objects.put)}
        assert on_derived == {"refused"}
        assert objects.list("i/default/kim/", "DerivedBucket") == "refused"


@pytest.mark.usefixtures("talked")
def test_the_session_of_a_user_reaches_that_users_objects_and_no_others(
    stack: DeployedStack, appending: Credentials
) -> None:
    hers, his = head_key(KIM, "talk"), head_key(LEE, "talk")
    with _Objects(stack, _of_scope(stack, appending, KIM, "AppendObjects")) as objects:
        assert {objects.get(hers), objects.put(hers), objects.list(hers)} == {"allowed"}
        assert {objects.get(his), objects.put(his), objects.list(his)} == {"refused"}
        whole = ("c/", "c/default/", "c/default/k", "", None)
        assert {objects.list(prefix) for prefix in whole} == {"refused"}


def test_a_session_does_what_its_function_does_and_without_its_policy_what_all_do(
    stack: DeployedStack, appending: Credentials
) -> None:
    """Writing memories, and looking for one's markers among everybody's, which an erasure does."""
    mine, theirs = "m/default/kim/one.json", "m/default/lee/one.json"
    decided = {}
    for policy in ("AppendObjects", "ConsolidateObjects", "ActorObjects", ""):
        with _Objects(stack, _of_scope(stack, appending, KIM, policy)) as objects:
            decided[policy] = (objects.put(mine), objects.list("dirty/", "DerivedBucket"))
            assert {objects.get(theirs), objects.put(theirs)} == {"refused"}
    assert decided == {
        "AppendObjects": ("refused", "refused"),
        "ConsolidateObjects": ("allowed", "refused"),
        "ActorObjects": ("refused", "allowed"),
        "": ("allowed", "allowed"),
    }


def test_the_role_of_scopes_is_for_functions_that_name_a_user_with_all_four_tags(
    stack: DeployedStack, appending: Credentials
) -> None:
    tags = [{"Key": name, "Value": value} for name, value in session_tags(KIM)]
    sweeping = credentials_of(stack.account, role=stack.resources["SweepRole"])
    agent = session(stack, session=KIM.actor).credentials
    assert agent
    asked = [
        (appending, tags, "allowed"),
        (appending, [], "refused"),
        (appending, tags[1:], "refused"),
        (appending, [*tags, {"Key": "more", "Value": "x"}], "refused"),
        (sweeping, tags, "refused"),
        (agent, tags, "refused"),
    ]
    for credentials, named, decided in asked:
        sts = stack.account.client("sts", credentials)
        whose = {"RoleArn": _role_arn(stack), "RoleSessionName": "tests", "Tags": named}
        assert _decided(sts.assume_role, **whose) == decided, named
        sts.close()


def test_a_job_that_the_queue_did_not_take_is_taken_up_when_another_has_ended(
    stack: DeployedStack, kim: Caller
) -> None:
    marker = "dirty/0000000001/default/kim/talk"
    s3 = stack.account.client("s3")
    job = Job(KIM, "talk").encode()
    s3.put_object(Bucket=stack.outputs["DerivedBucketName"], Key=marker, Body=job)
    s3.close()
    append(kim, "another", "Hello.")
    eventually(
        stack.account,
        lambda: stack.keys("DerivedBucketName"),
        until=lambda held: marker not in held,
    )


def test_the_sweep_keeps_its_own_access(stack: DeployedStack) -> None:
    functions = stack.account.client("lambda")
    called = functions.invoke(FunctionName=stack.resources["Sweep"], Payload=b"{}")
    outcome = json.loads(called["Payload"].read())
    functions.close()
    assert (outcome.get("complete"), outcome.get("failed")) == (True, 0), outcome
