"""A list of documents: every key once, by prefix, without opening what the listing says already."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.document_calls import SCOPE, SPACE, Documents
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.errors import AccessDeniedError, InvalidRequestError, UnavailableError
from everturn.ports.object_store import ABSENT
from everturn.values.cursors import DocumentCursor, ExportCursor, ListCursor, RecentCursor
from everturn.values.keys import document_key, documents_prefix
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import Answer, Verb, WrappedStore

PLAIN = ["B", "a", "a-b", "a.b", "a.json", "ab", "abc", "b", "notes", "z" * 128]
HASHED = ["/memories/a.md", "/memories/b.md", "/other", "a b", "a/b", "~x", "é", "z" * 129]


@pytest.fixture
def documents() -> Documents:
    return Documents()


def fill(documents: Documents, keys: list[str]) -> None:
    for key in keys:
        documents.put({"of": key}, key)


def counted(documents: Documents) -> tuple[Documents, InterleavedStore]:
    store = InterleavedStore(documents.store)
    return documents.over(store), store


def test_every_document_of_a_space_is_listed_once_plain_keys_first(documents: Documents) -> None:
    fill(documents, PLAIN + HASHED)
    documents.put(1, "a", space="other")
    documents.put(1, "a", space="state/x")
    keys = documents.walk()
    assert sorted(keys) == sorted(PLAIN + HASHED)
    assert keys[: len(PLAIN)] == sorted(PLAIN, key=lambda key: f"{key}.json")


def test_a_row_shows_the_version_and_the_size_that_a_read_shows(documents: Documents) -> None:
    fill(documents, ["a", "a/b"])
    for row in documents.page().rows:
        read = documents.get(row.key)
        assert (row.etag, row.size) == (read.etag, read.size)
        assert row.updated_ns == read.document.updated_ns


@pytest.mark.parametrize(
    "prefix", ["a", "a.", "a.j", "ab", "z", "x", "a/", "/", "/memories/", "~", "~x", "é", "z" * 129]
)
def test_a_prefix_is_one_of_keys(documents: Documents, prefix: str) -> None:
    fill(documents, PLAIN + HASHED)
    wanted = sorted(key for key in PLAIN + HASHED if key.startswith(prefix))
    assert sorted(documents.walk(prefix)) == wanted


@given(
    keys=st.sets(
        st.one_of(st.sampled_from(PLAIN + HASHED), st.text("ab.-/~_", min_size=1, max_size=4)),
        max_size=20,
    ),
    prefix=st.text("ab.-/~_", max_size=3),
    limit=st.integers(1, 6),
    page_keys=st.integers(1, 4),
)
def test_a_walk_shows_each_match_once_whatever_the_pages(
    keys: set[str], prefix: str, limit: int, page_keys: int
) -> None:
    clock = ManualClock()
    documents = Documents(MemoryStore(clock, page_keys=page_keys), clock)
    fill(documents, sorted(keys))
    walked = documents.walk(prefix, limit=limit)
    assert sorted(walked) == sorted(key for key in keys if key.startswith(prefix))


def test_plain_keys_are_listed_in_one_request_and_no_document_is_opened(
    documents: Documents,
) -> None:
    fill(documents, PLAIN)
    process, store = counted(documents)
    assert len(process.page().rows) == len(PLAIN)
    assert store.verbs == ["list"]
    store.verbs.clear()
    process.page("ab")
    assert store.verbs == ["list", "list"]


def test_a_hashed_key_costs_one_read(documents: Documents) -> None:
    fill(documents, PLAIN + HASHED)
    process, store = counted(documents)
    assert len(process.page().rows) == len(PLAIN + HASHED)
    assert sorted(store.verbs) == ["get"] * len(HASHED) + ["list"]


def test_a_prefix_that_no_plain_key_has_skips_them_all(documents: Documents) -> None:
    fill(documents, [f"k{number}" for number in range(30)] + HASHED)
    inner = MemoryStore(documents.clock, page_keys=10)
    for key in documents.walk():
        stored = documents.stored(key)
        assert stored is not None
        inner.put(document_key(SCOPE, SPACE, key), stored.body, expect=ABSENT)
    process, store = counted(documents.over(inner))
    assert sorted(process.walk("/memories/")) == HASHED[:2]
    assert store.verbs.count("list") == 1


def test_a_page_opens_a_hundred_documents_at_most_and_goes_on(documents: Documents) -> None:
    keys = [f"/files/{number:03d}" for number in range(250)]
    fill(documents, keys)
    process, store = counted(documents)
    page = process.page("/files/0", limit=1_000)
    assert store.verbs.count("get") == 100
    assert page.next_cursor is not None
    assert len(page.rows) < 100
    assert sorted(process.walk("/files/0", limit=1_000)) == keys[:100]


def test_a_page_may_be_empty_and_still_have_a_cursor(documents: Documents) -> None:
    fill(documents, [f"/files/{number}" for number in range(5)])
    page = documents.page("/none/", limit=3)
    assert page.rows == ()
    assert page.next_cursor is not None
    last = documents.page("/none/", limit=3, cursor=page.next_cursor)
    assert (last.rows, last.next_cursor) == ((), None)


def test_a_full_last_page_has_no_cursor(documents: Documents) -> None:
    fill(documents, ["a", "b"])
    assert documents.page(limit=2).next_cursor is None
    assert documents.page(limit=1).next_cursor is not None


def test_fifty_rows_are_a_page_if_nothing_is_said(documents: Documents) -> None:
    fill(documents, [f"k{number:02d}" for number in range(51)])
    assert len(documents.page().rows) == 50


def test_a_walk_goes_on_where_the_last_row_was_deleted(documents: Documents) -> None:
    fill(documents, ["a", "b", "c", "d"])
    page = documents.page(limit=2)
    documents.delete("b")
    documents.put(1, "aa")
    assert [row.key for row in documents.page(cursor=page.next_cursor).rows] == ["c", "d"]


def test_an_unreadable_document_is_counted_and_hides_no_other(documents: Documents) -> None:
    fill(documents, ["a", "/a", "/b", "/c"])
    documents.place(b"{", "/b")
    stored = documents.stored("/a")
    assert stored is not None
    documents.place(stored.body, "/c")
    page = documents.page()
    assert ([row.key for row in page.rows], page.skipped) == (["a", "/a"], 2)


def test_a_document_that_may_not_be_read_is_counted(documents: Documents) -> None:
    class Forbidding(WrappedStore):
        def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
            if verb == "get":
                raise AccessDeniedError(f"403 key={key}")
            return send()

    fill(documents, ["a", "/a"])
    page = documents.over(Forbidding(documents.store)).page()
    assert ([row.key for row in page.rows], page.skipped) == (["a"], 1)


def test_a_document_that_goes_while_it_is_listed_is_left_out(documents: Documents) -> None:
    fill(documents, ["/a", "/b"])
    store = InterleavedStore(documents.store, after={("list", 1): lambda: documents.delete("/a")})
    page = documents.over(store).page()
    assert ([row.key for row in page.rows], page.skipped) == (["/b"], 0)


def test_what_is_no_key_of_ours_is_no_document(documents: Documents) -> None:
    fill(documents, ["a", "/a"])
    folder = documents_prefix(SCOPE, SPACE)
    for name in ("x", "-x.json", "~x.json", "a.txt", "b/c.json", "é.json"):
        documents.store.overwrite(folder + name, b"{}")
    assert documents.walk(limit=1) == ["a", "/a"]
    assert documents.page().skipped == 0


@pytest.mark.parametrize(
    "cursor",
    [
        *("../a", "a/b", "a", "zzz", "~", "~abc", " ", "é", "a\n", "x" * 129),
        *(DocumentCursor(token).encode() for token in ("", "../a", "a/b", "~", "é", "x" * 129)),
        *(ListCursor(1, "a").encode(), RecentCursor(1, "a", 1).encode(), ExportCursor().encode()),
    ],
)
def test_what_is_no_cursor_is_refused(documents: Documents, cursor: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        documents.page(cursor=cursor)
    assert caught.value.field == "cursor"


@pytest.mark.parametrize("prefix", [" ", "a\n", "x" * 1_025])
def test_what_no_key_begins_with_is_refused(documents: Documents, prefix: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        documents.page(prefix)
    assert caught.value.field == "prefix"


@pytest.mark.parametrize("verb", ["list", "get"])
def test_a_store_that_does_not_answer_is_told(documents: Documents, verb: Verb) -> None:
    fill(documents, ["/a"])
    store = FaultyStore(documents.store, scripted({(verb, 1): Fault.UNAVAILABLE}))
    with pytest.raises(UnavailableError):
        documents.over(store).page()
