"""AWS on one's own machine: S3 and SQS by moto in one child process, with buckets and queues.

What is stored ends with the process.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from everturn.errors import MisconfiguredError
from everturn.local.environment import Overlay
from everturn.ports.queue import MAX_RECEIVES

DATA_BUCKET, DERIVED_BUCKET = "everturn-data", "everturn-derived"
_REGION = "us-east-1"
_VERSIONED = (
    b'<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    b"<Status>Enabled</Status></VersioningConfiguration>"
)
# Its server is stopped between two requests; after this it is made to end.
_END_TIMEOUT_S = 5.0

# What the template gives its queue.
# Nobody who tries it out waits for a minute, which is what settles on AWS.
_SETTLE_S = "2"
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
_SQS_JSON = "application/x-amz-json-1.0"
# moto reads the service and the region of a request from its signature, and checks no signature.
_UNSIGNED = (
    f"AWS4-HMAC-SHA256 Credential=testing/20260101/{_REGION}/sqs/aws4_request,"
    " SignedHeaders=host, Signature=0"
)


@dataclass(frozen=True, slots=True)
class EmulatedAws:
    """A running emulation: its address, and a file descriptor that is readable when it dies."""

    url: str
    death: int
    queue_url: str = ""
    dead_letters_url: str = ""

    @property
    def handler_settings(self) -> Overlay:
        """Where handlers find the buckets and the queues, and how long offers settle."""
        return {
            "EVERTURN_STORE": f"s3://{DATA_BUCKET}",
            "EVERTURN_DERIVED_STORE": f"s3://{DERIVED_BUCKET}",
            "EVERTURN_QUEUE_URL": self.queue_url,
            "EVERTURN_DEAD_LETTERS_URL": self.dead_letters_url,
            "EVERTURN_SETTLE_S": os.environ.get("EVERTURN_SETTLE_S") or _SETTLE_S,
        }

    @property
    def process_environment(self) -> Overlay:
        """What the AWS SDK reads in a process that is to use it and nothing else."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ENDPOINT_URL_S3": None,
            "AWS_ENDPOINT_URL_SQS": None,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_SESSION_TOKEN": None,
            "AWS_PROFILE": None,
            "AWS_REGION": _REGION,
            "AWS_DEFAULT_REGION": _REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": None,
        }


@contextmanager
def emulated_aws() -> Iterator[EmulatedAws]:
    """Run the emulation with buckets and queues made; it ends with the block, or with this process.

    Raises:
        MisconfiguredError: the child process did not start.
    """
    # A session of its own: Ctrl-C is for the parent, which ends it last.
    with subprocess.Popen(
        [sys.executable, "-m", "everturn.local.emulation.moto_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        try:
            yield _opened(child)
        finally:
            _end(child)


def _opened(child: subprocess.Popen[bytes]) -> EmulatedAws:
    if child.stdout is None:
        raise MisconfiguredError("emulated aws has no output")
    url = child.stdout.readline().decode("ascii").strip()
    if not url:
        raise MisconfiguredError("emulated aws did not start; is everturn[local] installed?")
    # Plain requests: boto3 would cost this process 300 ms and is not needed here.
    with httpx.Client(base_url=url, trust_env=False) as client:
        _make_buckets(client)
        dead_letters_url = _make_queue(client, "everturn-dead-letters", {})
        queue_url = _make_queue(client, "everturn-jobs", _redriven_to(client, dead_letters_url))
    return EmulatedAws(url, child.stdout.fileno(), queue_url, dead_letters_url)


def _make_buckets(client: httpx.Client) -> None:
    for bucket in (DATA_BUCKET, DERIVED_BUCKET):
        client.put(f"/{bucket}").raise_for_status()
    versioning = {"versioning": ""}
    client.put(f"/{DATA_BUCKET}", params=versioning, content=_VERSIONED).raise_for_status()


def _make_queue(client: httpx.Client, name: str, attributes: dict[str, str]) -> str:
    """Make a queue; return its URL."""
    asked = {"QueueName": name, "Attributes": attributes}
    return str(_call_sqs(client, "CreateQueue", asked)["QueueUrl"])


def _redriven_to(client: httpx.Client, dead_letters_url: str) -> dict[str, str]:
    asked = {"QueueUrl": dead_letters_url, "AttributeNames": ["QueueArn"]}
    arn = _call_sqs(client, "GetQueueAttributes", asked)["Attributes"]["QueueArn"]
    policy = {"deadLetterTargetArn": arn, "maxReceiveCount": MAX_RECEIVES}
    return {"RedrivePolicy": json.dumps(policy)}


def _call_sqs(client: httpx.Client, action: str, asked: dict[str, Any]) -> dict[str, Any]:
    headers = {
        "x-amz-target": f"AmazonSQS.{action}",
        "content-type": _SQS_JSON,
        "authorization": _UNSIGNED,
    }
    answer = client.post("/", content=json.dumps(asked), headers=headers).raise_for_status()
    answered: dict[str, Any] = answer.json()
    return answered


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()
    try:
        child.wait(_END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
