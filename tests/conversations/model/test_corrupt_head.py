"""Head files that cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.head import parse_record
from everturn.errors import CorruptRecordError
from everturn.values.go_json import dumps
from golden_files import golden_bytes
from strategies.json_values import json_values

CORRUPT = {
    "empty": b"",
    "blank": b" \n",
    "truncated": golden_bytes("go_record.json")[:-1],
    "cut in a text": golden_bytes("go_record.json")[:200],
    "no json": b"conversation_id: c1",
    "another value": b'["conversation_id","turns"]',
    "null": b"null",
    "empty object": b"{}",
    "no id": b'{"turns":[],"updated":"2026-01-01T00:00:00Z"}',
    "no turns": b'{"conversation_id":"c1","updated":"2026-01-01T00:00:00Z"}',
    "null id": b'{"conversation_id":null,"turns":[]}',
    "number as id": b'{"conversation_id":1,"turns":[]}',
    "turns an object": b'{"conversation_id":"c1","turns":{}}',
    "turns a text": b'{"conversation_id":"c1","turns":"[]"}',
    "turns a number": b'{"conversation_id":"c1","turns":0}',
    "turns false": b'{"conversation_id":"c1","turns":false}',
    "something after it": b'{"conversation_id":"c1","turns":[]}x',
    "two objects": b'{"conversation_id":"c1","turns":[]}{"conversation_id":"c1","turns":[]}',
    "two lines": b'{"conversation_id":"c1","turns":[]}\n{"conversation_id":"c1","turns":[]}\n',
    "trailing comma": b'{"conversation_id":"c1","turns":[],}',
    "leading comma": b'{,"conversation_id":"c1"}',
    "no comma": b'{"conversation_id":"c1" "turns":[]}',
    "no colon": b'{"conversation_id" "c1"}',
    "number as name": b'{"conversation_id":"c1",5:[]}',
    "single quotes": b"{'conversation_id':'c1'}",
    "comment": b'{"conversation_id":"c1"/* */,"turns":[]}',
    "raw control character": b'{"conversation_id":"c\n1","turns":[]}',
    "deep": b'{"conversation_id":"c1","turns":[],"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep turns": b'{"conversation_id":"c1","turns":' + b'[{"a":' * 100_000,
    "long number": b'{"conversation_id":"c1","turns":[],"x":' + b"9" * 5_000 + b"}",
    "great number": b'{"conversation_id":"c1","turns":[],"metadata":{"a":1e999}}',
    "not a number": b'{"conversation_id":"c1","turns":[],"metadata":{"a":NaN}}',
    "infinity": b'{"conversation_id":"c1","turns":[-Infinity]}',
    "invalid utf-8": b'{"conversation_id":"c1","turns":["\xff"]}',
    "half a character": b'{"conversation_id":"c1","turns":["\xe6\xbc"]}',
    "surrogate in utf-8": b'{"conversation_id":"c1","turns":["\xed\xa0\x80"]}',
    "utf-16": '{"conversation_id":"c1","turns":[]}'.encode("utf-16"),
    "zeros": bytes(64),
}


@pytest.mark.parametrize("body", CORRUPT.values(), ids=CORRUPT)
def test_a_corrupt_file_is_refused_by_the_name_of_its_conversation(body: bytes) -> None:
    with pytest.raises(CorruptRecordError, match=r"conversation=c-42$") as caught:
        parse_record(body, name="c-42")
    assert not caught.value.retryable


@given(st.binary() | json_values.map(dumps).map(str.encode))
def test_any_bytes_are_a_record_or_corrupt(body: bytes) -> None:
    try:
        head = parse_record(body, name="c1").head
    except CorruptRecordError:
        return
    assert parse_record(head.encode(), name="c1").head == head
