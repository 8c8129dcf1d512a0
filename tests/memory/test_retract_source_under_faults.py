"""What a conversation said in memories goes with it, whatever fails and wherever it crashes."""

import threading
from collections.abc import Callable

import pytest

from everturn.conversations.head_cache import HeadCache
from everturn.deletion.delete_conversation import delete_conversation
from everturn.errors import AccessDeniedError, NotFoundError, UnavailableError
from everturn.memory.index.record_cache import MemoryCache
from everturn.ports.object_store import ObjectStore
from fakes.faulty_store import Fault, FaultyStore, seeded
from fakes.nth_request import NthRequest, crash
from fakes.wrapped_store import Answer, RefusingStore, Verb, WrappedStore
from memory.taken_back import assert_erased, places, through, told
from scenarios.memory_sources import say
from scenarios.process import CONVERSATION, Process
from scenarios.world import World

pytestmark = pytest.mark.slow

DELETE = list(places(Process.delete))


@pytest.mark.parametrize(("name", "nth"), DELETE)
@pytest.mark.parametrize("after", [False, True])
def test_a_crash_at_any_request_is_mended_by_the_next_delete(
    name: str, nth: int, *, after: bool
) -> None:
    world = told()
    store = NthRequest(getattr(world, name), nth, crash, after=after)
    with pytest.raises(KeyboardInterrupt):
        through(world, **{name: store}).delete()
    try:
        assert world.process().delete().complete
    except NotFoundError:
        assert world.record().head.is_done
    assert_erased(world)


@pytest.mark.parametrize(("name", "nth"), DELETE)
@pytest.mark.parametrize("fault", Fault)
def test_a_fault_at_any_request_is_overcome_and_counts_nothing_twice(
    name: str, nth: int, fault: Fault
) -> None:
    world = told()
    counted: list[Verb] = []

    def plan(verb: Verb) -> Fault | None:
        counted.append(verb)
        return fault if len(counted) == nth else None

    store = FaultyStore(getattr(world, name), plan, delay=2)
    receipt = through(world, **{name: store}).delete()
    store.land_all()
    assert receipt.complete
    assert (receipt.deleted["memory_sources"], receipt.deleted["memories"]) == (3, 1)
    assert_erased(world)


@pytest.mark.parametrize("seed", range(10))
def test_under_many_faults_it_ends_with_nothing_left(seed: int) -> None:
    world = told()
    world.entropy.token(seed)
    for _ in range(60):
        data = FaultyStore(world.data, seeded(world.entropy, 0.15), delay=seed + 1)
        derived = FaultyStore(world.derived, seeded(world.entropy, 0.15))
        try:
            done = through(world, data, derived).delete().complete
        except (UnavailableError, NotFoundError):
            done = world.record().head.is_done
        data.land_all()
        derived.land_all()
        if done:
            break
    assert world.record().head.is_done
    assert_erased(world)


def test_a_redaction_says_that_it_is_not_complete_where_the_store_refuses_for_good() -> None:
    world = told()
    refusing = RefusingStore(world.data, "put", "m/", AccessDeniedError("403"))
    assert not world.process(refusing).redact(0).complete
    with pytest.raises(AccessDeniedError):
        world.process(refusing).delete()
    assert world.process().delete().complete


def _without_index(world: World) -> World:
    world.derived.delete_many(world.derived.list("i/").keys)
    return world


@pytest.mark.parametrize("prepared", [told, lambda: _without_index(told())])
def test_what_the_store_does_not_let_it_read_may_have_it_and_is_not_done(
    prepared: Callable[[], World],
) -> None:
    world = prepared()
    refusing = RefusingStore(world.data, "get", "m/", AccessDeniedError("403"))
    receipt = world.process(refusing).delete()
    assert not receipt.complete
    assert receipt.remaining == 3
    assert not world.record().head.is_done
    assert world.process().delete().complete
    assert_erased(world)


def test_a_warm_process_asks_again_for_what_was_refused() -> None:
    world = _without_index(told())
    refusing = RefusingStore(world.data, "get", "m/", AccessDeniedError("403"))
    cache = MemoryCache()
    outcomes = [
        delete_conversation(
            store=store, derived=world.derived, heads=HeadCache(), clock=world.clock,
            entropy=world.entropy, scope=world.scope, conversation_id=CONVERSATION, memories=cache,
        )
        for store in (refusing, world.data)
    ]  # fmt: skip
    assert [receipt.complete for receipt in outcomes] == [False, True]
    assert_erased(world)


class Hiccup(WrappedStore):
    """Refuses the first writes of memories, whoever sends them."""

    def __init__(self, inner: ObjectStore, refusals: int) -> None:
        super().__init__(inner)
        self._left = refusals
        self._lock = threading.Lock()

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        with self._lock:
            refused = verb == "put" and key.startswith("m/") and self._left > 0
            self._left -= refused
        if refused:
            raise UnavailableError("503")
        return send()


def test_one_hiccup_that_many_writes_meet_is_none_of_all_in_a_row() -> None:
    world = told()
    for number in range(32):
        say(world, f"Secret {number}.")
    assert world.process(Hiccup(world.data, 30)).delete().complete
    assert_erased(world)
