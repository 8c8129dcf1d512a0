"""SQS emulated by moto, whose clock a test may set forward: import the fixture into a conftest."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import moto.sqs.models
import pytest
from moto.core.utils import unix_time, unix_time_millis

from emulation.long_timeouts import long_timeouts
from emulation.s3_endpoint import dummy_environment
from everturn.adapters.aws.sqs_queue import SqsQueue, make_client
from everturn.local.emulation.moto_s3 import MotoServer, install_sqs_lock
from everturn.ports.clock import Clock

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# Each session of tests starts its own server, so counting makes a queue unique.
_QUEUES: Final = itertools.count()


@dataclass(slots=True)
class MotoSqs:
    """The emulation in this process; `ahead_s` is how far its clock is set forward."""

    url: str
    ahead_s: float = 0.0

    def client(self) -> "SQSClient":
        """A client of the adapter, for this server alone, which has a minute to answer."""
        with dummy_environment(), long_timeouts():
            return make_client(endpoint_url=self.url)


@dataclass(frozen=True, slots=True)
class Queues:
    """A queue of its own and its dead letters."""

    url: str
    dead_url: str

    def open(self, client: "SQSClient", clock: Clock, *, max_depth: int) -> SqsQueue:
        return SqsQueue(
            queue_url=self.url,
            dead_letters_url=self.dead_url,
            max_depth=max_depth,
            client=lambda: client,
            clock=clock,
        )


def fresh_queues(client: "SQSClient", *, max_receives: int) -> Queues:
    """Make both, as the template does."""
    name = f"jobs-{next(_QUEUES)}"
    dead_url = client.create_queue(QueueName=f"{name}-dead")["QueueUrl"]
    known = client.get_queue_attributes(QueueUrl=dead_url, AttributeNames=["QueueArn"])
    policy = {
        "deadLetterTargetArn": known["Attributes"]["QueueArn"],
        "maxReceiveCount": max_receives,
    }
    made = client.create_queue(QueueName=name, Attributes={"RedrivePolicy": json.dumps(policy)})
    return Queues(made["QueueUrl"], dead_url)


@pytest.fixture(scope="session")
def moto_sqs(moto_server: MotoServer) -> Iterator[MotoSqs]:
    install_sqs_lock()
    sqs = MotoSqs(moto_server.url)
    with pytest.MonkeyPatch.context() as patch:
        # Where the queues look at the time; nothing else of moto does it there.
        patch.setattr(moto.sqs.models, "unix_time", lambda: unix_time() + sqs.ahead_s)
        patch.setattr(
            moto.sqs.models, "unix_time_millis", lambda: unix_time_millis() + sqs.ahead_s * 1_000
        )
        yield sqs


@pytest.fixture(scope="session")
def sqs_client(moto_sqs: MotoSqs) -> "Iterator[SQSClient]":
    """One for all tests: making one costs as much as twenty of them."""
    client = moto_sqs.client()
    # moto loads much for its first answer: more than a client of the product would wait for.
    client.list_queues()
    yield client
    client.close()
