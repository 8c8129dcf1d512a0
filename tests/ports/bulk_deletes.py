"""The rules of `delete_many`, for every adapter: a part of the contract."""

import pytest

from everturn.errors import InvalidRequestError, PreconditionFailedError
from everturn.ports.object_store import ABSENT, MAX_DELETED_KEYS, ObjectStore, StoredObject

KEYS = tuple(f"s/tenant/actor/one/{number:012d}.json" for number in range(5))


class BulkDeletes:
    def test_many_deletes_remove_these_and_no_others(self, store: ObjectStore) -> None:
        for key in KEYS:
            store.put(key, key.encode(), expect=ABSENT, meta={"n": "1"})
        assert store.delete_many(KEYS[1:4]) == ()
        assert [entry.key for entry in store.list("s/").entries] == [KEYS[0], KEYS[4]]
        assert [store.get(key) for key in KEYS[1:4]] == [None] * 3

    def test_many_deletes_take_absent_keys_and_keys_named_twice(self, store: ObjectStore) -> None:
        store.put(KEYS[0], b"1", expect=ABSENT)
        assert store.delete_many([KEYS[1], KEYS[0], KEYS[0]]) == ()
        assert store.delete_many(KEYS[:2]) == ()
        assert store.list("s/").entries == ()

    def test_many_deletes_of_nothing_are_fine(self, store: ObjectStore) -> None:
        store.put(KEYS[0], b"1", expect=ABSENT)
        assert store.delete_many(()) == ()
        assert isinstance(store.get(KEYS[0]), StoredObject)

    def test_a_key_that_many_deletes_removed_is_created_anew_without_its_past(
        self, store: ObjectStore
    ) -> None:
        first = store.put(KEYS[0], b"1", expect=ABSENT, meta={"n": "1"})
        store.delete_many([KEYS[0]])
        second = store.put(KEYS[0], b"2", expect=ABSENT)
        assert store.get(KEYS[0]) == StoredObject(b"2", second, {})
        with pytest.raises(PreconditionFailedError):
            store.put(KEYS[0], b"3", expect=first)

    def test_more_deletes_than_one_request_takes_are_refused_before_any(
        self, store: ObjectStore
    ) -> None:
        store.put(KEYS[0], b"1", expect=ABSENT)
        too_many = [KEYS[0], *(f"s/t/a/{number}" for number in range(MAX_DELETED_KEYS))]
        with pytest.raises(InvalidRequestError, match=f"max_keys={MAX_DELETED_KEYS}"):
            store.delete_many(too_many)
        assert isinstance(store.get(KEYS[0]), StoredObject)
        assert store.delete_many(too_many[:MAX_DELETED_KEYS]) == ()
        assert store.get(KEYS[0]) is None
