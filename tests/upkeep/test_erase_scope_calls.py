"""Erasures of several calls, under faults, and against others who write."""

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.listing.cache_files import ListCacheFiles
from everturn.listing.list_conversations import list_conversations
from everturn.ports.object_store import ABSENT, StoredObject
from everturn.values.keys import head_key, list_cache_key
from fakes.content_etags import ContentEtags
from fakes.faulty_store import Fault, FaultyStore, seeded
from fakes.interleaved_store import InterleavedStore, Place
from fakes.wrapped_store import WrappedStore
from listing.long_list import opened
from scenarios.process import SCOPE
from scenarios.sealed_world import everything
from scenarios.world import World
from upkeep.erase_calls import (
    SlowStore,
    StuckStore,
    assert_tombstones_alone,
    erase,
    everything_of_ann,
    put_document_of,
)
from upkeep.traces import put_traces


def test_a_list_that_ran_meanwhile_leaves_nothing_behind(world: World) -> None:
    everything_of_ann(world)
    store = InterleavedStore(
        world.data, before={("get", n): world.process().list_page for n in (1, 5, 9)}
    )
    assert erase(world, store).complete
    assert b"secret" not in everything(world)


@pytest.mark.parametrize("listed_before", [False, True])
def test_a_list_that_began_before_brings_nothing_back(*, listed_before: bool) -> None:
    """Its cache is in its hands, and it writes it after the receipt."""
    world = World()
    world.derived = ContentEtags(world.clock)
    world.process().append("secret", to="told")
    if listed_before:
        world.process().list_page()
        world.process().append("secret", to="more")
    receipts = []
    slow = InterleavedStore(
        world.derived, before={("put", 1): lambda: receipts.append(erase(world))}
    )
    list_conversations(data=world.data, derived=slow, clock=world.clock, scope=SCOPE)
    assert [receipt.complete for receipt in receipts] == [True]
    assert slow.verbs.count("put") == 1
    assert b"secret" not in everything(world)


def test_a_conversation_that_is_created_meanwhile_may_stay_whole(world: World) -> None:
    """Nothing of it is taken away, though it has the id of one that was erased."""
    process = world.process()
    process.append("secret", to="first")
    process.append("secret", to="last")
    put_document_of(world, "k")

    def anew() -> None:
        world.process().create("first")
        world.process().append("new words", to="first")
        put_traces(world, "first")

    deleted = 1 + 2 * len(("s", "x", "q", "w"))
    beside = InterleavedStore(world.data, before={("list", deleted + 1): anew})
    assert erase(world, beside).complete
    assert world.texts("first") == ["new words"]


@pytest.mark.parametrize(("request_s", "several"), [(0.01, False), (0.2, True), (0.5, True)])
def test_a_slow_store_is_erased_call_by_call_each_within_its_time(
    world: World, request_s: float, *, several: bool
) -> None:
    for number in range(150):
        world.process().append("secret", to=f"c{number:03d}")
    calls, conversations = 0, 0
    complete = False
    while not complete:
        started = world.clock.monotonic_s()
        receipt = erase(world, SlowStore(world, request_s))
        assert world.clock.monotonic_s() - started < 20
        calls, conversations = calls + 1, conversations + receipt.deleted["conversations"]
        complete = receipt.complete
        assert complete or receipt.remaining > 0
        assert calls < 20
    assert (conversations, calls > 1) == (150, several)
    assert_tombstones_alone(world)


@pytest.mark.parametrize("request_s", [0.1, 0.5, 1.0])
def test_heads_that_are_looked_at_for_what_lies_beside_take_no_longer_either(
    world: World, request_s: float
) -> None:
    for number in range(200):
        world.data.put(f"w/acme/ann/c{number:03d}.json", b"secret", expect=ABSENT)
    put_document_of(world, "k")
    erased, complete = list[int](), False
    while not complete:
        started = world.clock.monotonic_s()
        slow = SlowStore(world, request_s)
        receipt = erase(world, slow, derived=SlowStore(world, request_s, world.derived))
        assert world.clock.monotonic_s() - started < 20
        complete = receipt.complete
        erased.append(receipt.deleted["watermarks"])
        complete = receipt.complete
        assert len(erased) < 20
    assert sum(erased) == 200
    assert b"secret" not in everything(world)


def test_a_listing_that_takes_longer_than_a_call_gets_farther_with_every_call() -> None:
    world = World(page_keys=2)
    for number in range(60):
        world.process().append("secret", to=f"c{number:03d}")
    for number in range(60):
        world.process().delete(f"c{number:03d}")
    world.process().append("secret", to="d")
    ends = []
    for _ in range(40):
        started = world.clock.monotonic_s()
        receipt = erase(world, SlowStore(world, 1.1))
        assert world.clock.monotonic_s() - started < 20
        root = ListCacheFiles(derived=world.derived, scope=SCOPE).open_root().root
        if receipt.complete:
            break
        ends.append(len(root.edges))
    assert ends == sorted(ends)
    assert ends[-1] > ends[0]
    assert receipt.complete
    assert_tombstones_alone(world)


def test_a_call_that_goes_on_does_not_open_the_tombstones_that_one_before_it_saw(
    world: World,
) -> None:
    for number in range(100):
        world.process().append("a", to=f"c{number:03d}")
    stuck = StuckStore(world.data, head_key(SCOPE, "c099"))
    first, second = erase(world, stuck), erase(world, stuck)
    assert (first.deleted["conversations"], first.remaining) == (99, 1)
    assert (second.deleted["conversations"], second.remaining) == (0, 1)
    counted = InterleavedStore(world.data)
    assert erase(world, counted).deleted["conversations"] == 1
    assert counted.verbs.count("get") <= 5
    assert_tombstones_alone(world)


@pytest.mark.parametrize("seed", range(12))
def test_under_faults_it_ends_with_nothing_left(seed: int) -> None:
    world = World()
    everything_of_ann(world)
    for attempt in range(50):
        faulty = FaultyStore(world.data, seeded(world.entropy, 0.15), delay=seed + 1)
        derived = FaultyStore(world.derived, seeded(world.entropy, 0.15))
        try:
            receipt = erase(world, faulty, derived=derived)
        except UnavailableError:
            continue
        finally:
            faulty.land_all()
            derived.land_all()
        if receipt.complete:
            break
        assert attempt < 40
    assert_tombstones_alone(world)


def test_an_append_on_its_way_does_not_survive(world: World) -> None:
    process = world.process()
    process.append("secret", to="c")
    late = FaultyStore(world.data, lambda v: Fault.DELAYED if v == "put" else None, delay=10**9)
    with pytest.raises(UnavailableError):
        world.process(late).append_drafts([TurnDraft("user", "secret late")], to="c")
    process.append("secret", to="c")
    assert erase(world).complete
    late.land_all()
    assert_tombstones_alone(world)


def test_a_corrupt_head_that_changes_meanwhile_is_left_for_the_next_call(world: World) -> None:
    world.place(b"{secret", "c")
    store = InterleavedStore(
        world.data, before={("delete", 1): lambda: world.place(b"{secret2", "c")}
    )
    receipt = erase(world, store)
    assert (receipt.complete, receipt.remaining) == (False, 1)
    assert erase(world).deleted["unreadable"] == 1
    assert world.data.list("").keys == ()


def test_what_the_store_refuses_for_good_is_no_complete_receipt(world: World) -> None:
    put_document_of(world, "k")

    class Refusing(WrappedStore):
        def delete_many(self, keys: object) -> tuple[str, ...]:
            if keys:
                raise AccessDeniedError("403")
            return ()

    with pytest.raises(AccessDeniedError):
        erase(world, Refusing(world.data))
    assert world.data.list("o/").keys


def test_many_that_are_erased_at_once_do_not_all_write_the_list(world: World) -> None:
    for number in range(40):
        world.process().append("secret", to=f"c{number}")
    counted = InterleavedStore(world.derived)
    assert erase(world, derived=counted).complete
    assert (counted.verbs.count("put"), counted.verbs.count("overwrite")) == (2, 0)


@pytest.mark.parametrize("complete", [False, True])
def test_a_list_that_began_in_a_call_brings_nothing_back_whether_that_ended_all(
    world: World, *, complete: bool
) -> None:
    """It reads a head before that is erased, and writes its cache after the call."""
    for name in ("stuck", "told"):
        world.process().append("secret", to=name)
    store = world.data if complete else StuckStore(world.data, head_key(SCOPE, "stuck"))
    with ExitStack() as later:
        before: dict[Place, Callable[[], object]] = {
            ("list", 1): lambda: later.enter_context(opened(world))
        }
        assert erase(world, InterleavedStore(store, before=before)).complete is complete
    lists = world.derived.get(list_cache_key(SCOPE))
    assert isinstance(lists, StoredObject)
    assert b"secret" not in lists.body
