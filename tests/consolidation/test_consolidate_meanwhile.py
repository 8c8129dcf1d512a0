"""Consolidation while users write and take back, and eight workers on ten conversations."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from consolidation.consolidation_calls import (
    TEXTS,
    assert_each_once,
    assert_nowhere,
    mentions,
    places,
    planned,
    read,
    told,
)
from consolidation.consolidations import PlannedExtractor, mark_of, memories
from consolidation.take_back import TAKE_BACK, Act
from consolidation.watched_marks import WatchedMarks
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SeededEntropy
from everturn.consolidation.consolidate_conversation import consolidate
from everturn.errors import EverturnError
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.values.keys import Scope
from fakes.fast_clock import FastClock
from fakes.faulty_store import FaultyStore, seeded
from fakes.nth_request import NthRequest
from scenarios.process import SCOPE, Process
from scenarios.world import World

pytestmark = pytest.mark.slow

DATA = [nth for name, nth in places() if name == "data"]


@pytest.mark.parametrize("nth", DATA)
@pytest.mark.parametrize("act", TAKE_BACK)
def test_what_is_taken_back_meanwhile_is_nowhere_and_what_is_said_is_read(
    nth: int, act: Act
) -> None:
    world = told()
    store = NthRequest(world.data, nth, lambda: act(world))
    read(world, planned(), data=store)
    if store.count < nth:
        act(world)
    read(world, planned())
    left = TAKE_BACK[act]
    assert_each_once(world, left)
    assert_nowhere(world, *({*TEXTS} - {*left}))


@pytest.mark.parametrize("seed", range(200))
def test_whatever_users_do_meanwhile_all_that_is_left_is_read_and_the_rest_is_nowhere(
    seed: int,
) -> None:
    """Some acts at some requests of three calls, each said by a text of its own."""
    world, draw = told(), SeededEntropy(f"acts {seed}")
    users = _Users(world, draw)
    store: ObjectStore = world.data
    for _ in range(4):
        store = NthRequest(store, int(draw.share() * 50) + 1, users.act)
    for _ in range(3):
        try:
            read(world, planned(), data=store)
        except EverturnError as error:
            if not error.retryable:
                raise
    read(world, planned())
    assert_each_once(world, tuple(users.texts))
    assert_nowhere(world, *(users.once_said - {*users.texts}))


class _Users:
    """Users who write, and what is left of what they wrote."""

    def __init__(self, world: World, draw: SeededEntropy) -> None:
        self.texts = list(TEXTS)
        self.once_said = {*TEXTS}
        self._world, self._draw = world, draw

    def act(self) -> None:
        """Do one of the things that users do."""
        self._world.clock.sleep(1)
        acts = [self._append, self._append, self._redact, self._pop, self._live_again]
        acts[int(self._draw.share() * len(acts))]()

    def _append(self) -> None:
        text = f"New note {self._draw.token(6).hex()}."
        self._world.process().append(text)
        self.texts.append(text)
        self.once_said.add(text)

    def _redact(self) -> None:
        if self.texts:
            number = int(self._draw.share() * len(self.texts))
            assert self._world.process().redact(number).complete
            self.texts[number] = ""

    def _pop(self) -> None:
        if self.texts:
            assert self._world.process().pop(expected=len(self.texts)).complete
            self.texts.pop()

    def _live_again(self) -> None:
        assert self._world.process().delete().complete
        self._world.process().create()
        self.texts.clear()
        self._append()


THREADS, CONVERSATIONS, TURNS = 8, 10, 6
CLOCK = FastClock()


def _of(conversation: int, number: int) -> str:
    return f"Conversation {conversation} states fact {number}."


@pytest.mark.parametrize("seed", range(3))
def test_eight_workers_on_ten_conversations_under_faults_read_each_turn_once(seed: int) -> None:
    """A fifth of all requests goes wrong, and users append meanwhile."""
    watched, derived = WatchedMarks(MemoryStore(CLOCK)), MemoryStore(CLOCK)
    stores = [
        FaultyStore(watched, seeded(SeededEntropy(f"{seed} {n}"), 0.2), delay=1 + n % 4)
        for n in range(THREADS)
    ]

    def work(worker: int) -> None:
        draw = SeededEntropy(f"{seed} worker {worker}")
        user = Process(watched, CLOCK, draw, derived)
        for number in range(3 * CONVERSATIONS):
            if worker == number % THREADS and number < CONVERSATIONS:
                for at in range(TURNS):
                    user.append(_of(number, at), to=f"c{number}")
            _one_job(stores[worker], derived, draw, int(draw.share() * CONVERSATIONS))

    with ThreadPoolExecutor(THREADS) as threads:
        for done in [threads.submit(work, worker) for worker in range(THREADS)]:
            done.result()
    for store in stores:
        store.land_all()
    assert not watched.strays
    _assert_all_read(watched, derived, seed)


def _assert_all_read(data: ObjectStore, derived: MemoryStore, seed: int) -> None:
    world = World(data=data)
    world.derived = derived
    for conversation in range(CONVERSATIONS):
        _one_job(data, derived, SeededEntropy(f"{seed} last"), conversation)
        assert mark_of(world, f"c{conversation}").turns == TURNS
    found = memories(world)
    assert len(found) == CONVERSATIONS * TURNS
    for conversation in range(CONVERSATIONS):
        for at in range(TURNS):
            text = _of(conversation, at)
            assert mentions(found[text]) == [(f"c{conversation}", at, at, text)]


def _one_job(
    data: ObjectStore, derived: ObjectStore, entropy: SeededEntropy, conversation: int
) -> None:
    try:
        consolidate(
            store=data,
            derived=derived,
            clock=CLOCK,
            entropy=entropy,
            scope=Scope(SCOPE.tenant, SCOPE.actor),
            conversation_id=f"c{conversation}",
            extractor=PlannedExtractor(longest=2),
            budget=Budget(clock=CLOCK, seconds=60),
        )
    except EverturnError as error:
        if not error.retryable:
            raise
