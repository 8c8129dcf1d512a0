"""A list of documents with their values: one read each, side by side, pages that fit an answer."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.document_calls import Documents
from everturn.conversations.read_conversation import MAX_ANSWER_BYTES
from everturn.documents.list_documents import DocumentPage
from everturn.errors import AccessDeniedError
from everturn.values.go_json import JsonValue, dumps
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import Answer, Verb, WrappedStore

# The largest value that is one document, about.
_MEBIBYTE = 1_048_500


@pytest.fixture
def documents() -> Documents:
    return Documents()


def walk(documents: Documents, prefix: str | None = None, limit: int | None = None) -> list[
    DocumentPage
]:  # fmt: skip
    """All pages of a list with values."""
    pages = [documents.page(prefix, limit=limit, values=True)]
    while (cursor := pages[-1].next_cursor) is not None:
        pages.append(documents.page(prefix, limit=limit, cursor=cursor, values=True))
    return pages


def shown(pages: list[DocumentPage]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for row in (row for page in pages for row in page.rows):
        assert row.document is not None
        assert row.key not in found
        found[row.key] = row.document.value
    return found


def test_each_row_has_the_value_the_version_and_the_time_of_one_read(documents: Documents) -> None:
    for key in ("a", "b", "/c"):
        documents.put({"of": key}, key)
    for row in documents.page(values=True).rows:
        read = documents.get(row.key)
        assert (row.document, row.etag, row.size) == (read.document, read.etag, read.size)
        assert row.updated_ns == read.document.updated_ns


def test_without_values_no_plain_document_is_opened(documents: Documents) -> None:
    documents.put(1, "a")
    store = InterleavedStore(documents.store)
    assert documents.over(store).page().rows[0].document is None
    assert store.verbs == ["list"]


def test_each_document_costs_one_read_whatever_its_key(documents: Documents) -> None:
    for key in ("a", "b", "/c"):
        documents.put(1, key)
    store = InterleavedStore(documents.store)
    assert len(documents.over(store).page(values=True).rows) == 3
    assert sorted(store.verbs) == ["get"] * 3 + ["list"]


def test_a_page_opens_a_hundred_documents_at_most_and_goes_on(documents: Documents) -> None:
    for number in range(250):
        documents.put(number, f"k{number:03d}")
    store = InterleavedStore(documents.store)
    page = documents.over(store).page(limit=1_000, values=True)
    assert (len(page.rows), store.verbs.count("get")) == (100, 100)
    assert [len(page.rows) for page in walk(documents, limit=1_000)] == [100, 100, 50]


def test_a_page_ends_where_an_answer_is_full_and_reads_no_more(documents: Documents) -> None:
    for number in range(7):
        documents.put("x" * _MEBIBYTE, f"k{number}")
    store = InterleavedStore(documents.store)
    page = documents.over(store).page(values=True)
    assert (len(page.rows), store.verbs.count("get")) == (2, 3)
    assert [len(page.rows) for page in walk(documents)] == [2, 2, 2, 1]


def test_one_document_that_fills_an_answer_is_a_page(documents: Documents) -> None:
    """A file of another program may be larger than any that is written here."""
    documents.put(1, "a")
    stored = documents.stored("a")
    assert stored is not None
    large = stored.body.replace(b'"value":1', b'"value":"' + b"<" * MAX_ANSWER_BYTES + b'"')
    documents.place(large, "a")
    documents.put(2, "b")
    assert [[row.key for row in page.rows] for page in walk(documents)] == [["a"], ["b"]]


def test_a_document_that_grew_since_it_was_listed_waits_for_the_next_page(
    documents: Documents,
) -> None:
    for key in ("a", "b", "c", "d"):
        documents.put(1, key)

    def grow() -> None:
        for key in ("a", "b", "c"):
            documents.put("x" * _MEBIBYTE, key)

    store = InterleavedStore(documents.store, after={("list", 1): grow})
    page = documents.over(store).page(values=True)
    assert [row.key for row in page.rows] == ["a", "b"]
    rest = documents.page(cursor=page.next_cursor, values=True)
    assert [row.key for row in rest.rows] == ["c", "d"]


def test_a_document_gone_since_it_was_listed_is_left_out(documents: Documents) -> None:
    for key in ("a", "/b", "c"):
        documents.put(1, key)
    store = InterleavedStore(documents.store, after={("list", 1): lambda: documents.delete("a")})
    page = documents.over(store).page(values=True)
    assert ([row.key for row in page.rows], page.skipped) == (["c", "/b"], 0)


def test_a_document_that_cannot_be_read_is_counted(documents: Documents) -> None:
    for key in ("a", "b", "/c", "d"):
        documents.put(1, key)
    documents.place(b"{", "a")
    other = documents.stored("b")
    assert other is not None
    documents.place(other.body, "d")
    page = documents.page(values=True)
    assert ([row.key for row in page.rows], page.skipped) == (["b", "/c"], 2)


def test_a_document_that_may_not_be_read_is_counted(documents: Documents) -> None:
    class Forbidding(WrappedStore):
        def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
            if verb == "get":
                raise AccessDeniedError(f"403 key={key}")
            return send()

    documents.put(1, "a")
    page = documents.over(Forbidding(documents.store)).page(values=True)
    assert (page.rows, page.skipped) == ((), 1)


@given(
    values=st.dictionaries(
        st.text("ab.-/~_", min_size=1, max_size=4),
        st.one_of(st.integers(), st.sampled_from(["x" * 900_000, "<" * 170_000])),
        max_size=12,
    ),
    prefix=st.text("ab.-/~_", max_size=2),
    limit=st.integers(1, 6),
)
def test_a_walk_shows_each_match_once_and_every_page_fits(
    values: dict[str, JsonValue], prefix: str, limit: int
) -> None:
    documents = Documents()
    for key, value in values.items():
        documents.put(value, key)
    pages = walk(documents, prefix, limit=limit)
    assert shown(pages) == {k: value for k, value in values.items() if k.startswith(prefix)}
    for page in pages:
        found = [row.document.value for row in page.rows if row.document is not None]
        assert len(dumps(found).encode()) <= MAX_ANSWER_BYTES
