"""The envelope of a document, and the keys that documents lie at."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.documents.document import Document, new_document, parse_document
from everturn.errors import CorruptRecordError, EverturnError
from everturn.values.go_json import JsonValue
from everturn.values.keys import (
    HASHED,
    Scope,
    document_key,
    document_name,
    documents_prefix,
    is_plain,
    is_token,
    key_token,
    token_of_name,
)
from strategies.json_values import json_values

SCOPE = Scope("acme", "a/b")


@given(value=json_values, key=st.text(min_size=1, max_size=20))
def test_what_may_be_stored_comes_back_from_its_envelope(value: JsonValue, key: str) -> None:
    try:
        document = new_document("space", key, value, updated_ns=1)
    except EverturnError:
        return
    read = parse_document(document.encode(), space="space")
    assert (read.space, read.key, read.updated_ns) == ("space", document.key, 1)
    assert Document("space", read.key, read.value, 1).encode() == document.encode()


@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_a_document_or_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        parse_document(body, space="no such space")


@given(st.text(min_size=1, max_size=140))
def test_the_name_of_a_document_says_its_key_or_that_it_is_hashed(key: str) -> None:
    name = document_name(key)
    token = token_of_name(name)
    assert token is not None
    assert token == key_token(key)
    assert is_token(token)
    assert token == key if is_plain(key) else token.startswith(HASHED)


@pytest.mark.parametrize(
    "name", ["", ".json", "a", "a.txt", "_a.json", "~a.json", "a/b.json", "é.json", "a\n.json"]
)
def test_what_document_name_never_gives_is_no_name(name: str) -> None:
    assert token_of_name(name) is None


def test_every_hashed_name_comes_after_every_plain_one() -> None:
    longest = "z" * 128
    assert document_name(longest) < HASHED < document_name("é")


def test_a_document_lies_below_its_space_and_a_space_below_its_scope() -> None:
    assert document_key(Scope("t", "a"), "s", "k") == "o/t/a/s/k.json"
    assert documents_prefix(SCOPE, "../c").count("/") == 4
    assert document_key(SCOPE, "../c", "../k").count("/") == 4
