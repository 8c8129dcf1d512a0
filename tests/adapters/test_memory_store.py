import pytest

from emulation.counting_store import CountingStore
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.ports.object_store import ABSENT, ANY, ObjectStore
from ports.object_store_contract import ObjectStoreContract, all_entries
from ports.object_store_races import ObjectStoreRaces


class TestMemoryStore(ObjectStoreContract, ObjectStoreRaces):
    @pytest.fixture
    def store(self) -> ObjectStore:
        return MemoryStore(ManualClock())


class TestCountingStore(ObjectStoreContract):
    @pytest.fixture
    def store(self) -> ObjectStore:
        return CountingStore(MemoryStore(ManualClock()))


def test_pages_are_as_long_as_asked_for() -> None:
    store = MemoryStore(ManualClock(), page_keys=2)
    for number in range(5):
        store.put(f"c/{number}", b"", expect=ABSENT)
    page = store.list("c/", start_after="c/0")
    assert ([entry.key for entry in page.entries], page.more) == (["c/1", "c/2"], True)
    assert len(all_entries(store, "c/")) == 5


def test_a_full_last_page_says_that_nothing_follows() -> None:
    store = MemoryStore(ManualClock(), page_keys=2)
    for number in range(2):
        store.put(f"c/{number}", b"", expect=ABSENT)
    assert store.list("c/").more is False


def test_the_time_of_a_write_is_the_clock_s() -> None:
    clock = ManualClock()
    store = MemoryStore(clock)
    clock.sleep(1.5)
    store.put("c/1", b"", expect=ABSENT)
    assert store.list("c/").entries[0].modified_ns == clock.now_ns()


def test_a_counting_store_writes_every_call_down_in_order() -> None:
    store = CountingStore(MemoryStore(ManualClock()))
    store.get("k")
    etag = store.put("k", b"1", expect=ABSENT)
    store.overwrite("k", b"2")
    store.list("k")
    store.delete("k", expect=ANY)
    assert store.verbs() == ["get", "put", "overwrite", "list", "delete"]
    assert {key for _, key in store.calls} == {"k"}
    assert etag
