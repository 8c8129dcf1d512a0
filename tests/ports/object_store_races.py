"""What every object store promises to many callers at once."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

from emulation.counter_worker import count_up
from everturn.errors import PreconditionFailedError
from everturn.ports.object_store import ABSENT, ObjectStore, StoredObject
from ports.object_store_contract import KEY, all_entries, stored


def in_threads(count: int, work: Callable[[int], object]) -> None:
    """Run `work(0..count-1)` at once; what one raises is raised here."""
    barrier = threading.Barrier(count)

    def begin(number: int) -> None:
        barrier.wait()
        work(number)

    usual = sys.getswitchinterval()
    # Threads change places often, so that a gap between a check and its write is met.
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(count) as pool:
            for future in [pool.submit(begin, number) for number in range(count)]:
                future.result()
    finally:
        sys.setswitchinterval(usual)


class ObjectStoreRaces:
    writers: ClassVar[int] = 8
    increments: ClassVar[int] = 8
    # Above one page of S3.
    many_keys: ClassVar[int] = 1_203

    def test_racing_increments_lose_nothing(self, store: ObjectStore) -> None:
        in_threads(self.writers, lambda _: count_up(store, KEY, self.increments))
        total = self.writers * self.increments
        assert stored(store).body == b"%d" % total
        assert stored(store).meta == {"n": str(total)}

    def test_a_race_of_creates_has_one_winner(self, store: ObjectStore) -> None:
        for round_number in range(5):
            key = f"c/t/a/{round_number}.json"
            winners: list[int] = []

            def create(number: int, key: str = key, winners: list[int] = winners) -> None:
                try:
                    store.put(key, b"%d" % number, expect=ABSENT)
                except PreconditionFailedError:
                    return
                winners.append(number)

            in_threads(self.writers, create)
            assert len(winners) == 1
            assert stored(store, key).body == b"%d" % winners[0]

    def test_meta_travels_with_its_body(self, store: ObjectStore) -> None:
        """A reader never sees the body of one version with the metadata of another."""
        store.put(KEY, b"0", expect=ABSENT, meta={"n": "0"})
        ended = threading.Event()
        seen: list[StoredObject] = []

        def read_or_write(number: int) -> None:
            if number < 2:
                try:
                    count_up(store, KEY, self.increments)
                finally:
                    ended.set()
            while number >= 2:
                seen.append(stored(store))
                # Once at least, also where the writers were faster than the start of a thread.
                if ended.is_set():
                    break

        in_threads(4, read_or_write)
        assert len(seen) >= 2
        assert [found.meta["n"].encode() for found in seen] == [found.body for found in seen]

    def test_a_listing_under_writes_holds_each_key_once(self, store: ObjectStore) -> None:
        keys = [f"c/t/a/{number:03d}.json" for number in range(25)]
        for key in keys:
            store.put(key, b"0", expect=ABSENT)
        ended = threading.Event()
        listings: list[list[str]] = []

        def list_or_write(number: int) -> None:
            if number == 0:
                try:
                    for key in keys:
                        count_up(store, key, 1)
                finally:
                    ended.set()
            while number:
                listings.append([entry.key for entry in all_entries(store, "c/t/a/")])
                # As above: once at least.
                if ended.is_set():
                    break

        in_threads(2, list_or_write)
        assert listings
        assert all(listing == keys for listing in listings)

    def test_many_keys_come_in_pages_without_a_gap(self, store: ObjectStore) -> None:
        keys = [f"i/t/a/{number:05d}" for number in range(self.many_keys)]

        def put_share(number: int) -> None:
            for key in keys[number :: self.writers]:
                store.overwrite(key, b"x")

        in_threads(self.writers, put_share)
        assert [entry.key for entry in all_entries(store, "i/t/a/")] == keys
