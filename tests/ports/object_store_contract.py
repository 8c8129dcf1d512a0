"""The rules of ports/object_store.py, for every adapter: inherit the class and give a `store`."""

from typing import ClassVar

import pytest

from everturn.errors import GoneError, InvalidRequestError, PreconditionFailedError
from everturn.ports.object_store import (
    ABSENT,
    ANY,
    MAX_META_BYTES,
    UNCHANGED,
    Entry,
    Etag,
    ObjectStore,
    StoredObject,
)
from ports.bulk_deletes import BulkDeletes

KEY = "c/tenant/actor/one.json"


def stored(store: ObjectStore, key: str = KEY) -> StoredObject:
    found = store.get(key)
    assert isinstance(found, StoredObject)
    return found


def all_entries(store: ObjectStore, prefix: str) -> list[Entry]:
    """Walk all pages as a service does."""
    entries: list[Entry] = []
    more = True
    while more:
        page = store.list(prefix, start_after=entries[-1].key if entries else "")
        entries.extend(page.entries)
        more = page.more
        assert page.entries or not more, "an empty page says that others follow"
    return entries


def keys_of(store: ObjectStore, prefix: str, start_after: str = "") -> list[str]:
    return [entry.key for entry in store.list(prefix, start_after=start_after).entries]


class ObjectStoreContract(BulkDeletes):
    # What a conditional write to an absent key may raise; some S3 servers answer 412 there.
    gone: ClassVar[tuple[type[Exception], ...]] = (GoneError,)

    def test_an_absent_key_reads_as_none(self, store: ObjectStore) -> None:
        assert store.get(KEY) is None
        assert store.get(KEY, unless_etag=Etag('"0"')) is None

    def test_what_is_put_is_read_back_with_its_etag_and_meta(self, store: ObjectStore) -> None:
        meta = {"w": "a1,b2=c3 d4", "turns-in": "7"}
        etag = store.put(KEY, b"{}", expect=ABSENT, meta=meta)
        assert store.get(KEY) == StoredObject(b"{}", etag, meta)

    def test_a_put_on_a_present_key_with_absent_is_refused(self, store: ObjectStore) -> None:
        etag = store.put(KEY, b"1", expect=ABSENT, meta={"n": "1"})
        with pytest.raises(PreconditionFailedError):
            store.put(KEY, b"2", expect=ABSENT, meta={"n": "2"})
        assert stored(store) == StoredObject(b"1", etag, {"n": "1"})

    def test_a_put_with_the_right_etag_replaces_body_and_meta(self, store: ObjectStore) -> None:
        first = store.put(KEY, b"1", expect=ABSENT, meta={"n": "1"})
        second = store.put(KEY, b"22", expect=first, meta={"m": "2"})
        assert second != first
        assert stored(store) == StoredObject(b"22", second, {"m": "2"})

    def test_a_put_with_a_stale_etag_is_refused(self, store: ObjectStore) -> None:
        first = store.put(KEY, b"1", expect=ABSENT)
        second = store.put(KEY, b"2", expect=first, meta={"n": "2"})
        with pytest.raises(PreconditionFailedError):
            store.put(KEY, b"3", expect=first)
        assert stored(store) == StoredObject(b"2", second, {"n": "2"})

    def test_a_put_with_an_etag_on_an_absent_key_is_refused(self, store: ObjectStore) -> None:
        etag = store.put(KEY, b"1", expect=ABSENT)
        store.delete(KEY, expect=ANY)
        with pytest.raises(self.gone):
            store.put(KEY, b"2", expect=etag)
        assert store.get(KEY) is None

    def test_a_put_without_meta_removes_the_old_meta(self, store: ObjectStore) -> None:
        etag = store.put(KEY, b"1", expect=ABSENT, meta={"n": "1"})
        store.put(KEY, b"2", expect=etag)
        assert stored(store).meta == {}

    def test_an_overwrite_needs_no_expectation(self, store: ObjectStore) -> None:
        first = store.overwrite(KEY, b"1")
        second = store.overwrite(KEY, b"2")
        assert first != second
        assert stored(store) == StoredObject(b"2", second, {})

    def test_an_overwrite_makes_an_older_etag_stale_and_drops_meta(
        self, store: ObjectStore
    ) -> None:
        first = store.put(KEY, b"1", expect=ABSENT, meta={"n": "1"})
        store.overwrite(KEY, b"2")
        assert stored(store).meta == {}
        with pytest.raises(PreconditionFailedError):
            store.put(KEY, b"3", expect=first)

    def test_a_get_says_unchanged_only_for_the_etag_that_is_there(self, store: ObjectStore) -> None:
        first = store.put(KEY, b"1", expect=ABSENT)
        assert store.get(KEY, unless_etag=first) is UNCHANGED
        second = store.put(KEY, b"2", expect=first)
        assert store.get(KEY, unless_etag=first) == StoredObject(b"2", second)
        assert store.get(KEY, unless_etag=second) is UNCHANGED

    def test_a_delete_of_anything_is_fine_with_nothing_there(self, store: ObjectStore) -> None:
        store.put(KEY, b"1", expect=ABSENT)
        store.delete(KEY, expect=ANY)
        store.delete(KEY, expect=ANY)
        assert store.get(KEY) is None
        assert keys_of(store, "c/") == []

    def test_a_delete_with_the_right_etag_removes(self, store: ObjectStore) -> None:
        store.delete(KEY, expect=store.put(KEY, b"1", expect=ABSENT, meta={"n": "1"}))
        assert store.get(KEY) is None

    def test_a_delete_with_a_stale_etag_is_refused(self, store: ObjectStore) -> None:
        first = store.put(KEY, b"1", expect=ABSENT)
        store.put(KEY, b"2", expect=first)
        with pytest.raises(PreconditionFailedError):
            store.delete(KEY, expect=first)
        assert stored(store).body == b"2"

    def test_a_delete_with_an_etag_on_an_absent_key_is_refused(self, store: ObjectStore) -> None:
        etag = store.put(KEY, b"1", expect=ABSENT)
        store.delete(KEY, expect=etag)
        with pytest.raises(self.gone):
            store.delete(KEY, expect=etag)

    def test_a_deleted_key_is_created_anew_without_its_past(self, store: ObjectStore) -> None:
        first = store.put(KEY, b"1", expect=ABSENT, meta={"n": "1"})
        store.delete(KEY, expect=first)
        second = store.put(KEY, b"2", expect=ABSENT)
        assert stored(store) == StoredObject(b"2", second, {})
        with pytest.raises(PreconditionFailedError):
            store.put(KEY, b"3", expect=first)

    @pytest.mark.parametrize(
        "body",
        [b"", bytes(range(256)), b"\r\n\r\n", b"\x00", b"\x1f\x8b\x08", b"x" * 300_000],
        ids=["empty", "all bytes", "line ends", "nul", "gzip magic", "large"],
    )
    def test_bodies_come_back_byte_for_byte(self, store: ObjectStore, body: bytes) -> None:
        store.put(KEY, body, expect=ABSENT)
        assert stored(store).body == body
        assert store.list("c/").entries[0].size == len(body)

    def test_meta_up_to_the_limit_comes_back(self, store: ObjectStore) -> None:
        meta = {"w": "x" * (MAX_META_BYTES - 3), "v": "1"}
        store.put(KEY, b"{}", expect=ABSENT, meta=meta)
        assert stored(store).meta == meta

    @pytest.mark.parametrize(
        "meta",
        [
            {"w": "x" * MAX_META_BYTES},
            {f"n{number}": "x" * 90 for number in range(21)},
            {"w": "é"},
            {"W": "1"},
            {"": "1"},
            {"a_b": "1"},
            {"a:b": "1"},
            {"w": ""},
            {"w": " 1"},
            {"w": "1 "},
            {"w": "1\r\nx-amz-acl: public-read"},
            {"w": "1\n"},
        ],
        ids=lambda meta: repr(meta)[:24],
    )
    def test_meta_that_no_header_carries_is_refused_and_nothing_stored(
        self, store: ObjectStore, meta: dict[str, str]
    ) -> None:
        with pytest.raises(InvalidRequestError):
            store.put(KEY, b"{}", expect=ABSENT, meta=meta)
        assert store.get(KEY) is None

    def test_etags_never_repeat(self, store: ObjectStore) -> None:
        """Not for bodies of one size, nor across a delete."""
        seen: list[Etag] = [store.put(KEY, b"00", expect=ABSENT)]
        for number in range(1, 12):
            if number % 4 == 0:
                store.delete(KEY, expect=seen[-1])
                seen.append(store.put(KEY, b"%02d" % number, expect=ABSENT))
            else:
                seen.append(store.put(KEY, b"%02d" % number, expect=seen[-1]))
        assert len(set(seen)) == len(seen)

    def test_an_empty_prefix_lists_nothing(self, store: ObjectStore) -> None:
        page = store.list("c/tenant/actor/")
        assert page.entries == ()
        assert page.more is False

    def test_a_listing_is_in_byte_order(self, store: ObjectStore) -> None:
        names = ["~MFRGG", "a", "B", "a.b", "a-b", "a_b", "0", "a..b", "Zz", "aa"]
        for name in names:
            store.put(f"c/t/a/{name}.json", name.encode(), expect=ABSENT)
        expected = sorted(f"c/t/a/{name}.json".encode() for name in names)
        assert [key.encode() for key in keys_of(store, "c/t/a/")] == expected
        for name in names:
            assert stored(store, f"c/t/a/{name}.json").body == name.encode()

    def test_a_listing_holds_only_its_prefix(self, store: ObjectStore) -> None:
        inside = ["c/t/a/1.json", "c/t/a/2.json"]
        for key in [*inside, "c/t/ab/1.json", "c/t/1.json", "i/t/a/conversations"]:
            store.put(key, b"{}", expect=ABSENT)
        assert keys_of(store, "c/t/a/") == inside
        assert keys_of(store, "c/t/a/1.json") == inside[:1]
        assert len(keys_of(store, "c/")) == 4

    def test_a_listing_starts_after_a_key_present_or_not(self, store: ObjectStore) -> None:
        keys = [f"c/t/a/{number}.json" for number in range(4)]
        for key in keys:
            store.put(key, b"{}", expect=ABSENT)
        assert keys_of(store, "c/t/a/", start_after=keys[1]) == keys[2:]
        assert keys_of(store, "c/t/a/", start_after="c/t/a/1.jsonx") == keys[2:]
        assert keys_of(store, "c/t/a/", start_after="c/t/a/") == keys
        assert keys_of(store, "c/t/a/", start_after=keys[-1]) == []

    def test_a_row_shows_what_a_get_shows(self, store: ObjectStore) -> None:
        etag = store.put(KEY, b"12345", expect=ABSENT)
        (entry,) = store.list("c/tenant/actor/").entries
        assert (entry.key, entry.etag, entry.size) == (KEY, etag, 5)
        assert store.get(KEY, unless_etag=entry.etag) is UNCHANGED
        assert entry.modified_ns > 1_700_000_000 * 10**9
