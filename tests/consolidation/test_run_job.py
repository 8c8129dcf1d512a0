"""A job: consolidate, index, go on, take a marker, in this order; and what of it may fail."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from consolidation.consolidations import PlannedExtractor, mark_of, memories
from everturn.consolidation.consolidate_conversation import run_job
from everturn.consolidation.enqueue_job import JobOffers
from everturn.consolidation.outcome import DAILY_TOKENS, Consolidated
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    MisconfiguredError,
    OutcomeUnknownError,
    UnavailableError,
)
from everturn.ports.object_store import ObjectStore
from everturn.ports.queue import Offered
from everturn.storage.budget import Budget
from everturn.values.job import Job
from everturn.values.keys import DIRTY_PREFIX, dirty_key
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Answer, Verb, WrappedStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World

JOB = Job(SCOPE, CONVERSATION)
OTHER = Job(SCOPE, "other")


@dataclass
class Stage:
    """A world, a full queue, a marker of another conversation, and what happened in order."""

    world: World = field(default_factory=World)
    extractor: PlannedExtractor = field(default_factory=PlannedExtractor)
    seconds: float = 60.0
    daily_tokens: int = 0
    indexing: Callable[[], bool] = lambda: True
    happened: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Put what is noted in one list."""
        self.queue = _Noting(self.world.clock, 0, happened=self.happened)
        self.derived: ObjectStore = self.world.derived
        self.extractor.meanwhile = lambda: self.happened.append("extract")
        marker = dirty_key(OTHER.scope, OTHER.conversation_id, minute=0)
        self.world.derived.overwrite(marker, OTHER.encode().encode())

    def tell(self, count: int) -> None:
        """Say so much, a hundred turns at a time."""
        texts = [f"Fact number {number}." for number in range(count)]
        for first in range(0, count, 100):
            self.world.process().append(*texts[first : first + 100])

    def run(self, job: Job = JOB) -> Consolidated:
        world = self.world
        return run_job(
            job,
            store=world.data,
            derived=self.derived,
            clock=world.clock,
            entropy=world.entropy,
            extractor=self.extractor,
            offers=JobOffers(self.queue, self.derived, world.clock, 60),
            budget=Budget(clock=world.clock, seconds=self.seconds),
            daily_tokens=self.daily_tokens,
            index=self._index,
        )

    def _index(self, job: Job, budget: Budget) -> bool:
        assert job == JOB
        assert not budget.is_over
        self.happened.append(f"index at {mark_of(self.world).turns}")
        return self.indexing()

    @property
    def marker_waits(self) -> bool:
        return bool(self.world.derived.list(DIRTY_PREFIX).keys)


@dataclass(slots=True)
class _Noting(ListedQueue):
    happened: list[str] = field(default_factory=list)

    def offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> Offered:
        self.happened.append(f"offer {job.conversation_id}")
        return ListedQueue.offer(self, job, delay_s=delay_s, even_if_full=even_if_full)


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_a_job_reads_and_takes_the_oldest_marker(stage: Stage) -> None:
    """However full the queue is."""
    stage.tell(2)
    assert stage.run() == Consolidated(windows=1, turns=2, created=2, lag=2, turn_count=2)
    assert stage.happened == ["extract", "offer other"]
    assert not stage.marker_waits


def test_what_is_long_is_indexed_once_all_is_read(stage: Stage) -> None:
    stage.tell(256)
    stage.run()
    assert stage.happened[-3:] == ["extract", "index at 256", "offer other"]


def test_what_is_shorter_is_not_indexed(stage: Stage) -> None:
    """A recall embeds what it needs at once."""
    stage.tell(255)
    stage.run()
    assert not any("index" in one for one in stage.happened)


def test_a_job_without_time_goes_on_as_another_one_and_indexes_nothing(stage: Stage) -> None:
    """It takes no marker beside that: for one job that ends the queue gets one."""
    stage.tell(300)
    stage.seconds = 0
    assert stage.run().behind
    assert stage.happened == ["extract", f"offer {CONVERSATION}"]
    assert stage.queue.delays() == [0]
    assert stage.marker_waits


def test_a_job_that_may_use_no_more_tokens_today_goes_on_no_further(stage: Stage) -> None:
    stage.tell(60)
    stage.extractor.tokens, stage.daily_tokens = 10, 10
    assert stage.run().reason == DAILY_TOKENS
    assert stage.happened == ["extract", "offer other"]


def test_a_job_of_what_is_not_there_takes_a_marker_all_the_same(stage: Stage) -> None:
    assert stage.run() == Consolidated()
    assert stage.happened == ["offer other"]


def test_an_index_that_is_not_complete_changes_nothing_else(stage: Stage) -> None:
    stage.tell(256)
    stage.indexing = lambda: False
    assert not stage.run().behind
    assert stage.happened[-1] == "offer other"
    assert stage.queue.names() == ["other"]


@pytest.mark.parametrize("is_away", [True, False])
def test_a_job_that_fails_offers_nothing_and_takes_no_marker(
    stage: Stage,
    is_away: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    """It comes again itself; else a model that is down would turn markers over all day."""
    stage.tell(1)
    stage.extractor.is_away, stage.extractor.is_broken = is_away, not is_away
    with pytest.raises(UnavailableError):
        stage.run()
    assert not any("offer" in one for one in stage.happened)
    assert stage.marker_waits


def test_a_crash_of_the_index_is_told_and_what_was_read_stays_read(stage: Stage) -> None:
    stage.tell(256)

    def crash() -> bool:
        raise ZeroDivisionError

    stage.indexing = crash
    with pytest.raises(ZeroDivisionError):
        stage.run()
    assert mark_of(stage.world).turns == 256
    assert stage.marker_waits


@pytest.mark.parametrize("error", [UnavailableError("away"), MisconfiguredError("no such queue")])
def test_a_queue_that_takes_nothing_leaves_a_marker_for_what_is_left(
    stage: Stage, error: EverturnError
) -> None:
    """The job itself is done, and its worker hears of it."""
    stage.tell(60)
    stage.seconds = 0
    stage.queue.fault = error
    done = stage.run()
    assert (done.turns, done.fault) == (50, error)
    assert mark_of(stage.world).turns == 50
    keys = stage.world.derived.list(DIRTY_PREFIX).keys
    assert [key.rpartition("/")[2] for key in keys] == ["other", CONVERSATION]


class _Failing(WrappedStore):
    """Raises at each request for a marker."""

    def __init__(self, inner: ObjectStore, error: EverturnError) -> None:
        super().__init__(inner)
        self._error = error

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del verb
        if key.startswith(DIRTY_PREFIX):
            raise self._error
        return send()


@pytest.mark.parametrize("error", [UnavailableError("away"), OutcomeUnknownError("no answer")])
def test_markers_that_cannot_be_looked_at_fail_no_job(stage: Stage, error: EverturnError) -> None:
    stage.tell(1)
    stage.derived = _Failing(stage.world.derived, error)
    assert stage.run().created == 1
    assert list(memories(stage.world)) == ["Fact number 0."]


@pytest.mark.parametrize("error", [AccessDeniedError("denied"), MisconfiguredError("no bucket")])
def test_markers_that_this_process_may_never_look_at_are_told_and_the_job_is_done(
    stage: Stage, error: EverturnError
) -> None:
    """One that came again would have nothing left to read, and be a dead letter in the end."""
    stage.tell(1)
    stage.derived = _Failing(stage.world.derived, error)
    done = stage.run()
    assert (done.created, done.fault) == (1, error)
    assert mark_of(stage.world).turns == 1


def test_a_queue_that_never_takes_the_job_of_a_marker_is_told_and_the_marker_stays(
    stage: Stage,
) -> None:
    stage.tell(1)
    stage.queue.fault = MisconfiguredError("no such queue")
    assert stage.run().fault is stage.queue.fault
    assert stage.marker_waits


def test_workers_that_end_at_once_take_different_markers(stage: Stage) -> None:
    """Else one conversation is read by all of them, and a model is asked by each."""
    jobs = [Job(SCOPE, f"c{number}") for number in range(15)]
    for _ in range(40):
        for job in jobs:
            # As they were for whoever looked at the same time.
            marker = dirty_key(job.scope, job.conversation_id, minute=0)
            stage.world.derived.overwrite(marker, job.encode().encode())
        stage.run()
    assert len(set(stage.happened)) >= 12
