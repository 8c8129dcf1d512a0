"""Many deletes end with nothing left, or say so."""

from collections.abc import Callable, Sequence

import pytest

from emulation.counting_store import CountingStore
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.ports.object_store import ABSENT
from everturn.storage.deletes import erase_objects
from everturn.storage.swap import DEADLINE_S, Patience
from fakes.faulty_store import Fault, FaultyStore, seeded

Leave = Callable[[Sequence[str]], Sequence[str]]


class LeavingStore(MemoryStore):
    """Leaves some keys of each request where they are, as S3 does under load."""

    def __init__(self, clock: ManualClock, leave: Leave) -> None:
        super().__init__(clock)
        self.asked: list[int] = []
        self._leave = leave

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        self.asked.append(len(keys))
        left = tuple(self._leave(keys))
        super().delete_many([key for key in keys if key not in left])
        return left


def filled(store: MemoryStore, count: int) -> list[str]:
    keys = [f"s/t/a/c/{number:06d}.json" for number in range(count)]
    for key in keys:
        store.put(key, b"1", expect=ABSENT)
    store.put("s/t/a/other/1.json", b"1", expect=ABSENT)
    return keys


def patience_of(clock: ManualClock) -> Patience:
    return Patience(clock=clock, entropy=SeededEntropy("erase"))


def rest(store: MemoryStore) -> list[str]:
    return [entry.key for entry in store.list("s/").entries]


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (1_000, [1_000])])
def test_up_to_a_thousand_objects_are_one_request(count: int, sizes: list[int]) -> None:
    clock = ManualClock()
    store = LeavingStore(clock, lambda _: ())
    erase_objects(store=store, keys=filled(store, count), patience=patience_of(clock))
    assert store.asked == sizes
    assert rest(store) == ["s/t/a/other/1.json"]


def test_more_are_sent_a_thousand_at_a_time_and_each_once() -> None:
    clock = ManualClock()
    inner = MemoryStore(clock)
    store, keys = CountingStore(inner), filled(inner, 2_001)
    erase_objects(store=store, keys=keys, patience=patience_of(clock))
    assert [key for _, sent in store.calls for key in sent.split()] == keys
    assert [len(sent.split()) for _, sent in store.calls] == [1_000, 1_000, 1]
    assert rest(inner) == ["s/t/a/other/1.json"]


def test_only_what_was_left_is_asked_for_again() -> None:
    clock = ManualClock()
    store = LeavingStore(clock, lambda keys: keys[: len(keys) // 2])
    erase_objects(store=store, keys=filled(store, 256), patience=patience_of(clock))
    assert store.asked == [256, 128, 64, 32, 16, 8, 4, 2, 1]
    assert rest(store) == ["s/t/a/other/1.json"]


def test_a_store_that_removes_nothing_is_given_up_within_a_second() -> None:
    clock = ManualClock()
    store = LeavingStore(clock, lambda keys: keys)
    began = clock.monotonic_s()
    with pytest.raises(UnavailableError, match="doing=erase"):
        erase_objects(store=store, keys=filled(store, 3), patience=patience_of(clock))
    assert store.asked == [3] * 6
    assert clock.monotonic_s() - began < 1
    assert len(rest(store)) == 4


def test_a_store_that_removes_little_is_given_up_when_time_is_over() -> None:
    clock = ManualClock()
    store = LeavingStore(clock, lambda keys: keys[1:])
    began = clock.monotonic_s()
    with pytest.raises(UnavailableError):
        erase_objects(store=store, keys=filled(store, 500), patience=patience_of(clock))
    assert DEADLINE_S <= clock.monotonic_s() - began < DEADLINE_S + 1
    assert 400 < len(rest(store)) < 500


def test_no_request_is_begun_after_the_deadline() -> None:
    clock = ManualClock()
    patience = patience_of(clock)
    store = LeavingStore(clock, lambda _: ())
    keys = filled(store, 3)
    clock.sleep(DEADLINE_S)
    with pytest.raises(UnavailableError):
        erase_objects(store=store, keys=keys, patience=patience)
    assert store.asked == []


def test_a_refusal_for_good_is_told_at_once() -> None:
    def refuse(_: Sequence[str]) -> Sequence[str]:
        raise AccessDeniedError("no")

    clock = ManualClock()
    store = LeavingStore(clock, refuse)
    with pytest.raises(AccessDeniedError):
        erase_objects(store=store, keys=filled(store, 3), patience=patience_of(clock))
    assert store.asked == [3]


@pytest.mark.parametrize("seed", range(30))
def test_under_faults_it_returns_only_with_nothing_left(seed: int) -> None:
    """A third of all requests fail, some of them after they were done, some of them later."""
    clock = ManualClock()
    inner = LeavingStore(clock, lambda keys: keys[::3] if len(keys) > 1 else ())
    keys = filled(inner, 300)
    store = FaultyStore(inner, _without_conditions(seed))
    erase_objects(store=store, keys=keys, patience=patience_of(clock))
    assert rest(inner) == ["s/t/a/other/1.json"]


def _without_conditions(seed: int) -> Callable[[object], Fault | None]:
    """Faults that a request without a condition can meet."""
    plan = seeded(SeededEntropy(str(seed)), 0.33)

    def drawn(_: object) -> Fault | None:
        fault = plan("delete_many")
        return Fault.UNAVAILABLE if fault is Fault.REFUSED else fault

    return drawn
