"""The queue in SQS: what it sends, and what it does when SQS does not answer."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from emulation.moto_sqs import MotoSqs, Queues, fresh_queues
from emulation.sqs_wire import SqsWire, wired
from everturn.adapters.aws.sqs_queue import LIFETIME_S, SqsQueue
from everturn.adapters.system_clock import ManualClock
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.ports.queue import Depth, Offered
from everturn.values.job import parse_job
from everturn.values.keys import Scope, key_token
from ports.queue_contract import LEASE_S, MAX_DEPTH, MAX_RECEIVES, claimed, job

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

ASK, SEND = "GetQueueAttributes", "SendMessage"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def queues(sqs_client: "SQSClient") -> Queues:
    return fresh_queues(sqs_client, max_receives=MAX_RECEIVES)


@pytest.fixture
def queue(queues: Queues, sqs_client: "SQSClient", clock: ManualClock) -> SqsQueue:
    return queues.open(sqs_client, clock, max_depth=MAX_DEPTH)


@pytest.fixture
def wire(sqs_client: "SQSClient", queues: Queues) -> Iterator[SqsWire]:
    assert queues.url
    with wired(sqs_client) as found:
        yield found


def offer_outcomes(queue: SqsQueue, count: int) -> list[Offered | type[EverturnError]]:
    told: list[Offered | type[EverturnError]] = []
    for number in range(count):
        try:
            told.append(queue.offer(job(str(number)), delay_s=0))
        except (UnavailableError, MisconfiguredError) as error:
            told.append(type(error))
    return told


def test_an_offer_is_one_request_while_there_is_room(
    queues: Queues, sqs_client: "SQSClient", clock: ManualClock, wire: SqsWire
) -> None:
    """However long ago the depth was read, and though it never was."""
    queue = queues.open(sqs_client, clock, max_depth=1_000)
    for _ in range(30):
        queue.offer(job(), delay_s=0)
        clock.sleep(40)
    assert wire.taken() == [SEND] * 30


def test_where_the_room_ends_the_depth_is_read_every_five_seconds(
    queue: SqsQueue, wire: SqsWire, clock: ManualClock
) -> None:
    assert offer_outcomes(queue, 2) == [Offered.QUEUED] * 2
    assert wire.taken() == [SEND, ASK, SEND]
    clock.sleep(LIFETIME_S - 0.1)
    queue.offer(job("a"), delay_s=0)
    assert wire.taken() == [SEND]
    clock.sleep(0.1)
    queue.offer(job("b"), delay_s=0)
    assert wire.taken() == [ASK, SEND]


def test_while_the_queue_is_known_full_nothing_is_sent(
    queue: SqsQueue, wire: SqsWire, clock: ManualClock
) -> None:
    told = offer_outcomes(queue, 100)
    assert told == [Offered.QUEUED] * MAX_DEPTH + [Offered.FULL] * 96
    assert wire.taken() == [SEND, ASK, *[SEND] * (MAX_DEPTH - 1)]
    clock.sleep(LIFETIME_S)
    assert offer_outcomes(queue, 100) == [Offered.FULL] * 100
    assert wire.taken() == [ASK]


def test_jobs_of_other_processes_fill_it_too(
    queue: SqsQueue, queues: Queues, sqs_client: "SQSClient", clock: ManualClock
) -> None:
    assert offer_outcomes(queues.open(sqs_client, clock, max_depth=MAX_DEPTH), 3)
    assert offer_outcomes(queue, 2) == [Offered.QUEUED, Offered.FULL]


@pytest.mark.parametrize("plan", ["lost request", "lost response", (503, "ServiceUnavailable")])
def test_a_queue_that_is_down_is_asked_once_in_five_seconds(
    queue: SqsQueue, wire: SqsWire, clock: ManualClock, plan: tuple[int, str] | str
) -> None:
    """So an append waits for it once, and nothing is sent twice."""
    wire.plans = [plan]
    assert offer_outcomes(queue, 50) == [UnavailableError] * 50
    assert wire.taken() == [SEND]
    clock.sleep(LIFETIME_S)
    assert offer_outcomes(queue, 1) == [Offered.QUEUED]
    assert wire.taken() == [SEND]


def test_a_reading_that_fails_is_remembered_as_well(
    queue: SqsQueue, wire: SqsWire, clock: ManualClock
) -> None:
    wire.plans = [None, (403, "RequestThrottled"), (403, "AccessDenied")]
    assert offer_outcomes(queue, 4) == [Offered.QUEUED, *[UnavailableError] * 3]
    assert wire.taken() == [SEND, ASK]
    clock.sleep(LIFETIME_S)
    assert offer_outcomes(queue, 3) == [MisconfiguredError] * 3
    assert wire.taken() == [ASK]


def test_who_ended_a_job_asks_nothing_first(queue: SqsQueue, wire: SqsWire) -> None:
    """Neither how full it is nor whether it was down."""
    wire.plans = ["lost request"]
    offer_outcomes(queue, 1)
    wire.taken()
    assert queue.offer(job(), delay_s=0, even_if_full=True) is Offered.QUEUED
    assert wire.taken() == [SEND]


def test_a_message_is_the_job_its_delay_and_its_tenant(queue: SqsQueue, wire: SqsWire) -> None:
    offered = job("a b/ü", Scope("tenant of all", "dana"))
    queue.offer(offered, delay_s=60)
    asked = wire.newest()
    assert parse_job(asked.pop("MessageBody")).digest == offered.digest
    assert asked.pop("QueueUrl")
    assert asked == {"DelaySeconds": 60, "MessageGroupId": key_token("tenant of all")}


def test_every_other_call_is_one_request(queue: SqsQueue, wire: SqsWire) -> None:
    for name in "ab":
        queue.offer(job(name), delay_s=0)
    wire.taken()
    first, second = queue.claim(10, lease_s=LEASE_S)
    queue.done(first)
    queue.give_back(second, delay_s=0)
    queue.depth()
    queue.count_dead()
    assert wire.taken() == ["ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility", ASK, ASK]


def test_a_claim_waits_for_nothing(queue: SqsQueue, wire: SqsWire) -> None:
    """A poll that waits would outlast the client's patience."""
    queue.claim(3, lease_s=LEASE_S)
    asked = wire.newest()
    assert (asked["WaitTimeSeconds"], asked["MaxNumberOfMessages"]) == (0, 3)
    assert asked["VisibilityTimeout"] == LEASE_S


def test_an_offer_whose_answer_was_lost_may_be_there(queue: SqsQueue, wire: SqsWire) -> None:
    wire.plans = ["lost response"]
    with pytest.raises(UnavailableError):
        queue.offer(job(), delay_s=0)
    assert queue.depth().waiting == 1
    assert queue.offer(job(), delay_s=0, even_if_full=True) is Offered.QUEUED
    assert {lease.job for lease in queue.claim(10, lease_s=LEASE_S)} == {job()}


def test_a_claim_whose_answer_was_lost_ends_with_its_lease(
    queue: SqsQueue, wire: SqsWire, moto_sqs: MotoSqs
) -> None:
    queue.offer(job(), delay_s=0)
    wire.plans = ["lost response"]
    with pytest.raises(UnavailableError):
        queue.claim(1, lease_s=LEASE_S)
    assert queue.depth() == Depth(0, 1)
    moto_sqs.ahead_s += LEASE_S + 0.1
    assert claimed(queue).receives == 2


def test_an_end_whose_answer_was_lost_may_be_told_again(queue: SqsQueue, wire: SqsWire) -> None:
    queue.offer(job(), delay_s=0)
    lease = claimed(queue)
    wire.plans = ["lost response"]
    with pytest.raises(UnavailableError):
        queue.done(lease)
    queue.done(lease)
    assert queue.depth() == Depth(0, 0)


@pytest.mark.parametrize("code", ["ReceiptHandleIsInvalid", "InvalidParameterValue"])
def test_the_end_of_a_lease_that_is_over_is_no_error(
    queue: SqsQueue, wire: SqsWire, code: str
) -> None:
    queue.offer(job(), delay_s=0)
    lease = claimed(queue)
    wire.plans = [(400, code), (400, code)]
    queue.done(lease)
    queue.give_back(lease, delay_s=0)
    assert not wire.plans


def kill(queue: SqsQueue, moto_sqs: MotoSqs) -> None:
    """Offer a job, and claim it until it is a dead letter."""
    queue.offer(job(), delay_s=0)
    for _ in range(MAX_RECEIVES + 1):
        queue.claim(10, lease_s=LEASE_S)
        moto_sqs.ahead_s += LEASE_S + 0.1


def test_a_redrive_that_dies_between_its_steps_loses_nothing(
    queue: SqsQueue, wire: SqsWire, moto_sqs: MotoSqs
) -> None:
    kill(queue, moto_sqs)
    wire.taken()
    for plans, waiting in (([None, "lost request"], 0), ([None, None, "lost request"], 1)):
        wire.plans = [*plans]
        with pytest.raises(UnavailableError):
            queue.redrive(10)
        moto_sqs.ahead_s += 61
        assert (queue.count_dead(), queue.depth().waiting) == (1, waiting)
    assert queue.redrive(10) == 1
    assert (queue.count_dead(), queue.depth().waiting) == (0, 2)


def test_a_redriven_job_keeps_its_tenant(queue: SqsQueue, wire: SqsWire, moto_sqs: MotoSqs) -> None:
    kill(queue, moto_sqs)
    wire.sent.clear()
    queue.redrive(10)
    [sent] = [request for request in wire.sent if b"MessageBody" in (request.body or b"")]
    assert b'"MessageGroupId": "acme"' in (sent.body or b"")


def test_a_queue_that_is_not_there_is_a_matter_of_the_deployment(
    queues: Queues, sqs_client: "SQSClient", clock: ManualClock
) -> None:
    gone = Queues(queues.url + "-gone", queues.dead_url + "-gone")
    queue = gone.open(sqs_client, clock, max_depth=1)
    for call in (
        lambda: queue.offer(job(), delay_s=0),
        lambda: queue.offer(job(), delay_s=0, even_if_full=True),
        lambda: queue.claim(1, lease_s=1),
        queue.depth,
        queue.count_dead,
        lambda: queue.redrive(1),
    ):
        with pytest.raises(MisconfiguredError):
            call()
