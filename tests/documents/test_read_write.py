"""Documents: read, written and removed at the version that the caller expects."""

import pytest

from documents.document_calls import KEY, SCOPE, SPACE, Documents
from everturn.adapters.memory_store import MemoryStore
from everturn.documents.read_write import UnchangedDocument
from everturn.errors import (
    CorruptRecordError,
    InvalidRequestError,
    NotFoundError,
    StaleEtagError,
    TooLargeError,
)
from everturn.ports.object_store import ABSENT, Etag
from everturn.values.keys import document_key
from fakes.interleaved_store import InterleavedStore


@pytest.fixture
def documents() -> Documents:
    return Documents()


@pytest.mark.parametrize(
    "value", [{"a": [1, 2.5, None, True]}, [], "text & <b>", 0, False, None, "é\u2028", {}]
)
def test_any_json_comes_back_as_it_was(documents: Documents, value: object) -> None:
    written = documents.put(value)  # type: ignore[arg-type]  # each is a JSON value
    read = documents.get()
    assert read.document.value == value
    assert type(read.document.value) is type(value)
    assert (read.document, read.etag, read.size) == (written.document, written.etag, written.size)
    assert (read.document.space, read.document.key) == (SPACE, KEY)


def test_what_is_stored_names_itself_and_has_no_text_in_its_metadata(documents: Documents) -> None:
    documents.put({"text": "secret"}, "about/secret")
    stored = documents.stored("about/secret")
    assert stored is not None
    assert stored.body == (
        b'{"space":"state","key":"about/secret","value":{"text":"secret"},'
        b'"updated":"2026-01-01T00:00:00.001Z"}'
    )
    assert set(stored.meta) == {"w"}
    assert len(stored.meta["w"]) == 24
    assert "secret" not in document_key(SCOPE, SPACE, "about/secret")


def test_a_first_write_creates_and_a_second_replaces(documents: Documents) -> None:
    first, second = documents.put(1), documents.put(2)
    assert (first.created, second.created) == (True, False)
    assert first.etag != second.etag
    assert second.document.updated_ns > first.document.updated_ns
    assert documents.value() == 2


def test_a_write_that_names_the_version_replaces_it_and_no_other(documents: Documents) -> None:
    first = documents.put(1)
    second = documents.put(2, expect=first.etag)
    assert not second.created
    with pytest.raises(StaleEtagError):
        documents.put(3, expect=first.etag)
    assert documents.get().etag == second.etag


def test_a_create_is_refused_where_a_document_is(documents: Documents) -> None:
    assert documents.put(1, expect=ABSENT).created
    with pytest.raises(StaleEtagError):
        documents.put(2, expect=ABSENT)
    assert documents.value() == 1


def test_a_write_that_names_a_version_of_nothing_is_refused(documents: Documents) -> None:
    etag = documents.put(1).etag
    documents.delete()
    with pytest.raises(StaleEtagError):
        documents.put(2, expect=etag)
    assert documents.stored() is None


def test_an_unchanged_document_is_not_sent_again(documents: Documents) -> None:
    first = documents.put(1)
    assert documents.get_unless(first.etag) == UnchangedDocument(first.etag)
    second = documents.put(2)
    assert documents.get_unless(first.etag) == documents.get()
    assert documents.get().etag == second.etag


@pytest.mark.parametrize("unless", [None, Etag('"1"')])
def test_a_document_that_is_not_there_is_not_found(
    documents: Documents, unless: Etag | None
) -> None:
    documents.put(1, "other")
    documents.put(1, space="other")
    with pytest.raises(NotFoundError):
        documents.get_unless(unless)
    with pytest.raises(NotFoundError):
        documents.delete(expect=unless)


def test_a_delete_removes_one_document(documents: Documents) -> None:
    documents.put(1)
    documents.put(2, "other")
    documents.delete()
    with pytest.raises(NotFoundError):
        documents.get()
    with pytest.raises(NotFoundError):
        documents.delete()
    assert documents.value("other") == 2


def test_a_delete_that_names_a_version_removes_it_and_no_other(documents: Documents) -> None:
    first = documents.put(1)
    second = documents.put(2)
    with pytest.raises(StaleEtagError):
        documents.delete(expect=first.etag)
    assert documents.value() == 2
    documents.delete(expect=second.etag)
    assert documents.stored() is None


def test_each_verb_is_one_request_and_an_unconditional_write_two(documents: Documents) -> None:
    store = InterleavedStore(documents.store)
    counted = documents.over(store)
    first = counted.put(1, expect=ABSENT)
    second = counted.put(2, expect=first.etag)
    counted.get()
    counted.get_unless(second.etag)
    counted.delete(expect=second.etag)
    assert store.verbs == ["put", "put", "get", "get", "delete"]
    store.verbs.clear()
    counted.put(3)
    counted.put(4)
    counted.delete()
    assert store.verbs == ["get", "put", "get", "put", "get", "delete"]


def test_an_unconditional_write_comes_after_the_one_that_was_first(documents: Documents) -> None:
    other = documents.over(documents.store)
    store = InterleavedStore(documents.store, before={("put", 1): lambda: other.put("theirs")})
    written = documents.over(store).put("ours")
    assert store.verbs == ["get", "put", "get", "put"]
    assert documents.get().etag == written.etag
    assert documents.value() == "ours"


def test_an_unconditional_delete_takes_what_was_written_meanwhile(documents: Documents) -> None:
    documents.put(1)
    other = documents.over(documents.store)
    store = InterleavedStore(documents.store, before={("delete", 1): lambda: other.put(2)})
    documents.over(store).delete()
    assert documents.stored() is None


def test_of_two_deletes_one_finds_nothing(documents: Documents) -> None:
    documents.put(1)
    other = documents.over(documents.store)
    store = InterleavedStore(documents.store, before={("delete", 1): other.delete})
    with pytest.raises(NotFoundError):
        documents.over(store).delete()


def test_a_value_of_a_mebibyte_is_kept_and_a_larger_one_refused(documents: Documents) -> None:
    assert documents.put("x" * (1_048_576 - 2)).created
    with pytest.raises(TooLargeError) as caught:
        documents.put("x" * (1_048_576 - 1))
    assert caught.value.field == "value"
    with pytest.raises(TooLargeError):
        documents.put("é" * 600_000)


def test_a_value_is_nested_64_levels_at_most(documents: Documents) -> None:
    def nested(levels: int) -> list[object]:
        value: list[object] = []
        for _ in range(levels - 1):
            value = [value]
        return value

    documents.put(nested(63))  # type: ignore[arg-type]  # lists of lists are JSON
    with pytest.raises(InvalidRequestError) as caught:
        documents.put(nested(65))  # type: ignore[arg-type]  # the same
    assert caught.value.field == "value"
    with pytest.raises(InvalidRequestError):
        documents.put([float("inf")])


@pytest.mark.parametrize("field", ["space", "key"])
@pytest.mark.parametrize("id_", ["", " ", "a\nb", "x" * 1_025])
def test_an_id_that_cannot_be_one_is_refused_before_any_request(field: str, id_: str) -> None:
    store = InterleavedStore(MemoryStore(Documents().clock))
    documents = Documents(store)
    ids = {"space": SPACE, "key": KEY, field: id_}
    for call in (
        lambda: documents.put(1, ids["key"], space=ids["space"]),
        lambda: documents.get(ids["key"], space=ids["space"]),
        lambda: documents.delete(ids["key"], space=ids["space"]),
    ):
        with pytest.raises(InvalidRequestError) as caught:
            call()
        assert caught.value.field == field
    assert store.verbs == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"space":"state","key":"agent-1","updated":"2026-01-01T00:00:00Z"}',
        b'{"space":"other","key":"agent-1","value":1,"updated":"2026-01-01T00:00:00Z"}',
        b'{"space":"state","key":"agent-2","value":1,"updated":"2026-01-01T00:00:00Z"}',
        b'{"space":"state","key":7,"value":1,"updated":"2026-01-01T00:00:00Z"}',
        b'{"space":"state","key":"agent-1","value":1,"updated":"yesterday"}',
        b'{"space":"state","key":"agent-1","value":1}',
    ],
    ids=range(11),
)
def test_what_is_no_document_or_another_one_is_refused_and_kept_until_it_is_deleted(
    documents: Documents, body: bytes
) -> None:
    documents.place(body)
    with pytest.raises(CorruptRecordError):
        documents.get()
    with pytest.raises(CorruptRecordError):
        documents.put(1)
    stored = documents.stored()
    assert stored is not None
    assert stored.body == body
    documents.delete()
    assert documents.put(1).created


def test_forms_that_differ_in_normalisation_alone_are_one_key(documents: Documents) -> None:
    documents.put(1, "caf\u00e9")
    assert documents.get("cafe\u0301").document.key == "caf\u00e9"
