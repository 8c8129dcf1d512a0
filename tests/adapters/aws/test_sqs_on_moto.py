"""The queue in SQS, emulated by moto: the contract."""

from typing import TYPE_CHECKING

import pytest

from emulation.moto_sqs import MotoSqs, Queues, fresh_queues
from everturn.adapters.aws.sqs_queue import SqsQueue
from everturn.adapters.system_clock import ManualClock
from ports.queue_contract import MAX_DEPTH, MAX_RECEIVES, Elapse, QueueContract
from ports.queue_races import QueueRaces
from ports.queue_tries import Plant, QueueTries

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class TestSqsOnMoto(QueueContract, QueueTries, QueueRaces):
    @pytest.fixture
    def clock(self) -> ManualClock:
        return ManualClock()

    @pytest.fixture
    def queues(self, sqs_client: "SQSClient") -> Queues:
        return fresh_queues(sqs_client, max_receives=MAX_RECEIVES)

    @pytest.fixture
    def queue(self, queues: Queues, sqs_client: "SQSClient", clock: ManualClock) -> SqsQueue:
        return queues.open(sqs_client, clock, max_depth=MAX_DEPTH)

    @pytest.fixture
    def elapse(self, moto_sqs: MotoSqs, clock: ManualClock) -> Elapse:
        def elapsed(seconds: float) -> None:
            moto_sqs.ahead_s += seconds
            clock.sleep(seconds)

        return elapsed

    @pytest.fixture
    def plant(self, queues: Queues, sqs_client: "SQSClient") -> Plant:
        def planted(text: str) -> None:
            sqs_client.send_message(QueueUrl=queues.url, MessageBody=text)

        return planted
