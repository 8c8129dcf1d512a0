"""What the deployed policy of a bucket refuses, whoever asks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ClientError

from deployment.deployed_stack import DeployedStack
from deployment.deployed_talk import append, session
from deployment.signed_requests import credentials_of
from template.policies import Request, decision

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1_200),
]
BUCKETS = pytest.mark.parametrize("bucket", ["DataBucket", "DerivedBucket"])


@pytest.fixture(scope="module")
def stack(built_stack: DeployedStack) -> DeployedStack:
    return built_stack.having()


@contextmanager
def _appending(stack: DeployedStack) -> Iterator[Any]:
    """The objects, for a role that may write heads."""
    own = credentials_of(stack.account, role=stack.resources["AppendRole"])
    s3 = stack.account.client("s3", own)
    yield s3
    s3.close()


def _by_plain_http(request: AWSRequest, **_: object) -> None:
    # What a proxy that ends TLS says of a request that came without.
    request.headers["X-Forwarded-Proto"] = "http"


@BUCKETS
def test_plain_http_is_refused_to_who_may_do_the_same_over_tls(
    stack: DeployedStack, bucket: str
) -> None:
    asked = {"Bucket": stack.resources[bucket], "Prefix": "c/"}
    with _appending(stack) as s3:
        assert s3.list_objects_v2(**asked)["KeyCount"] >= 0
        s3.meta.events.register("before-sign.s3", _by_plain_http)
        with pytest.raises(ClientError, match=r"AccessDenied.*explicit deny"):
            s3.list_objects_v2(**asked)


def test_a_conditional_write_gets_through_and_its_condition_is_checked(
    stack: DeployedStack,
) -> None:
    head = {"Bucket": stack.resources["DataBucket"], "Key": "c/default/olga/talk.json"}
    append(session(stack, session="olga"), "talk", "The gate is B12.")
    with _appending(stack) as s3:
        for condition in ({"IfNoneMatch": "*"}, {"IfMatch": '"another"'}):
            with pytest.raises(ClientError, match="PreconditionFailed"):
                s3.put_object(**head, Body=b"", **condition)
        read = s3.get_object(**head)
        s3.put_object(**head, Body=read["Body"].read(), IfMatch=read["ETag"])


@pytest.mark.parametrize(
    ("condition", "decided"),
    [
        ({}, "denied"),
        ({"s3:if-none-match": "*"}, "not mentioned"),
        ({"s3:if-match": '"version"'}, "not mentioned"),
    ],
)
def test_the_policy_as_deployed_refuses_a_write_without_a_condition(
    stack: DeployedStack, condition: dict[str, str], decided: str
) -> None:
    """By our own reading of it: the emulator knows no such keys and lets the write pass."""
    s3 = stack.account.client("s3")
    found = s3.get_bucket_policy(Bucket=stack.resources["DataBucket"])["Policy"]
    s3.close()
    context = {
        "aws:SecureTransport": "true",
        "s3:ObjectCreationOperation": "true",
        **condition,
    }
    key = f"arn:aws:s3:::{stack.resources['DataBucket']}/c/default/olga/talk.json"
    asked = Request("s3:PutObject", key, context)
    assert decision(json.loads(found)["Statement"], asked) == decided
