"""Appends that offer their jobs to SQS, emulated by moto: requests counted at the client."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from emulation.counting_store import CountingStore
from emulation.moto_sqs import Queues, fresh_queues
from emulation.sqs_wire import SqsWire, wired
from everturn.adapters.memory_store import MemoryStore
from everturn.consolidation.enqueue_job import JobOffer, JobOffers
from everturn.values.keys import DIRTY_PREFIX
from scenarios.process import SCOPE, Process
from scenarios.world import World

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

ASK, SEND = "GetQueueAttributes", "SendMessage"
SETTLE_S, QUIET_S = 60, 30
# Nowhere near full, and soon full.
ROOMY, SMALL = 1_000, 3


class Appending:
    """A process that appends and offers, and all that it asks of the store and the queue."""

    def __init__(self, queues: Queues, client: "SQSClient", wire: SqsWire, depth: int) -> None:
        world = World()
        self.clock, self.wire = world.clock, wire
        self.data = CountingStore(world.data)
        self.derived = CountingStore(MemoryStore(world.clock))
        self.process = Process(self.data, world.clock, world.entropy, self.derived)
        queue = queues.open(client, world.clock, max_depth=depth)
        self.offers = JobOffers(queue, self.derived, world.clock, SETTLE_S)

    def append(self, to: str = "trip") -> JobOffer:
        """Append one turn and offer its job."""
        outcome = self.process.append("Hello.", to=to)
        return self.offers.offer(SCOPE, outcome.conversation_id)

    def taken(self) -> tuple[Counter[str], Counter[str]]:
        """What was asked since the last look: of the two stores, and of the queue."""
        calls = [verb for store in (self.data, self.derived) for verb in store.verbs()]
        self.data.calls.clear()
        self.derived.calls.clear()
        return Counter(calls), Counter(self.wire.taken())

    def fill(self) -> None:
        """Let as many jobs wait as may."""
        for number in range(SMALL):
            self.offers.offer(SCOPE, f"filler {number}")
        self.taken()


def _appending(client: "SQSClient", depth: int) -> Iterator[Appending]:
    queues = fresh_queues(client, max_receives=5)
    with wired(client) as wire:
        yield Appending(queues, client, wire, depth)


@pytest.fixture
def it(sqs_client: "SQSClient") -> Iterator[Appending]:
    yield from _appending(sqs_client, ROOMY)


@pytest.fixture
def small(sqs_client: "SQSClient") -> Iterator[Appending]:
    yield from _appending(sqs_client, SMALL)


def test_where_the_queue_is_free_an_append_sends_one_message_and_none_within_half_a_minute(
    it: Appending,
) -> None:
    assert it.append().sent
    assert it.taken() == (Counter(get=1, put=1), Counter({SEND: 1}))
    for _ in range(QUIET_S - 1):
        it.clock.sleep(1)
        assert it.append() == JobOffer(queued=True)
    assert it.taken() == (Counter(put=QUIET_S - 1), Counter())
    it.clock.sleep(1)
    assert it.append().sent
    assert it.taken() == (Counter(put=1), Counter({SEND: 1}))


@pytest.mark.parametrize("pace_s", [0.1, 40.0])
def test_of_a_hundred_appends_one_asks_for_the_depth_at_most(it: Appending, pace_s: float) -> None:
    """Each of another conversation, or beyond the quiet period: each sends a message."""
    for number in range(100):
        assert it.append(f"{number}" if pace_s < 1 else "trip").sent
        it.clock.sleep(pace_s)
    _, queue = it.taken()
    assert queue == Counter({SEND: 100})
    assert it.append("another").sent
    assert it.taken()[1] == Counter({ASK: 1, SEND: 1})


def test_where_the_queue_is_full_nothing_is_sent_and_one_marker_a_minute_is_written(
    small: Appending,
) -> None:
    small.fill()
    seconds = 120
    for _ in range(seconds):
        offer = small.append()
        assert (offer.reason, offer.marked, offer.sent) == ("queue_full", True, False)
        small.clock.sleep(1)
    stores, queue = small.taken()
    assert stores == Counter(get=1, put=seconds, overwrite=2)
    assert queue == Counter({ASK: seconds // 5 - 1})
    assert len(small.derived.list(DIRTY_PREFIX).keys) == 2


def test_where_the_queue_is_down_it_is_asked_every_five_seconds_and_a_marker_stands(
    it: Appending,
) -> None:
    """So of five appends in five seconds one waits for it."""
    it.wire.down = True
    seconds = 120
    for _ in range(seconds):
        offer = it.append()
        assert (offer.reason, offer.marked, offer.sent) == ("queue_unavailable", True, False)
        it.clock.sleep(1)
    stores, queue = it.taken()
    assert stores == Counter(get=1, put=seconds, overwrite=2)
    assert queue == Counter({SEND: seconds // 5})
    it.wire.down = False
    it.clock.sleep(5)
    assert it.append().sent


def test_within_the_quiet_period_a_queue_that_is_down_is_not_noticed(it: Appending) -> None:
    assert it.append().sent
    it.taken()
    it.wire.down = True
    for _ in range(QUIET_S - 1):
        it.clock.sleep(1)
        assert it.append() == JobOffer(queued=True)
    assert it.taken() == (Counter(put=QUIET_S - 1), Counter())
