"""Head files of other programs: nothing in them is lost by an append."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.head import Head, Record, parse_record
from everturn.values.go_json import JsonObject, JsonValue
from strategies.json_values import json_objects, json_values, loose_texts

NOW_TEXT, NOW = "2026-03-01T10:00:00Z", 1_772_359_200_000_000_000
NEW_TURN = b'{"role":"assistant","text":"new","ts":"2026-03-01T10:00:00Z"}'


def parse(body: bytes) -> Record:
    return parse_record(body, name="c1")


def appended(body: bytes) -> dict[str, Any]:
    """Append one turn to a file, and read the outcome as any program would."""
    after = parse(body).head.with_turns([NEW_TURN], updated_ns=NOW).encode()
    value: dict[str, Any] = json.loads(after)
    return value


def lenient(body: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(body.decode("utf-8-sig"))
    return value


def survives(body: bytes) -> None:
    """Assert that an append changes a foreign file by one last turn and `updated`, else nothing."""
    before, after = lenient(body), appended(body)
    turns = before.pop("turns", None) or []
    assert after.pop("turns") == [*turns, json.loads(NEW_TURN)]
    before.pop("updated", None)
    assert after.pop("updated") == NOW_TEXT
    assert after == before


FOREIGN: dict[str, JsonValue] = {
    "unknown field": {"id": 1.5, "deep": [{"a": [None, True, '],"updated":"x"}']}]},
    "empty name": "\u2028<&>",
    "turn_count": 10**30,
}
FOREIGN_TURNS: list[JsonValue] = [
    {"role": "user", "text": "hi", "ts": "2026-01-01T01:00:00+01:00", "extra": {"a": [1, 2]}},
    {"text": "no role"},
    {"role": "no text"},
    {"ts": 5, "text": "odd time", "role": "user"},
    None, 5, "text", [["]", "}"]], {},
]  # fmt: skip
STEM: dict[str, JsonValue] = {"conversation_id": "c1", "title": "t"}
END: dict[str, JsonValue] = {"turns": FOREIGN_TURNS, "updated": "2026-01-01T00:00:00Z"}
KNOWN = {**STEM, **END}


@pytest.mark.parametrize(
    "value",
    [
        {**STEM, **END, **FOREIGN},
        {**FOREIGN, **STEM, **END},
        {"updated": "2026-01-01T00:00:00Z", **FOREIGN, "turns": FOREIGN_TURNS, **STEM},
        {**KNOWN, "folder": 5, "archived": "y", "metadata": [1], "sealed": None, "deleted": 0},
        {**KNOWN, "folder": "", "archived": False, "metadata": {}, "sealed": {}, "deleted": {}},
        {**KNOWN, "folder": "f", "archived": True, "metadata": {"a": 1}, "sealed": {"b": 2}},
        {"conversation_id": "c1", "turns": FOREIGN_TURNS},
        {"conversation_id": "c1", "turns": None},
        {"conversation_id": "c1", "title": 5, "turns": []},
        {"conversation_id": "c1", "title": ["t"], "turns": [], "updated": 5},
        {"conversation_id": "", "turns": [5], "updated": "yesterday", "": ""},
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 0, 4])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_foreign_file_survives_an_append(
    value: JsonObject, indent: int | None, *, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for body in (text.encode(), b"\xef\xbb\xbf" + text.encode(), f" \r\n{text}\t\n".encode()):
        survives(body)


def test_a_foreign_field_keeps_its_own_spelling() -> None:
    """Numbers, escapes and white space of another program are not ours to rewrite."""
    raw = b'{ "n": 1.50e+1,  "big": 123456789012345678901234567890, "half": "\\ud800\\u0041" }'
    body = b'{"conversation_id":"c1","x": ' + raw + b' ,"turns":[ {"role":"u","text":"\\u0041"} ]}'
    after = parse(body).head.with_turns([NEW_TURN], updated_ns=NOW).encode()
    assert b',"x":' + raw + b"}" in after
    assert b'"turns":[{"role":"u","text":"\\u0041"},' + NEW_TURN + b"]" in after


def test_of_a_name_that_occurs_twice_the_last_counts() -> None:
    """As in Go and in Python."""
    body = b'{"conversation_id":"a","turns":[1],"x":1,"turns":[2,3],"x":2,"conversation_id":"b"}'
    record = parse(body)
    assert (record.head.conversation_id, record.values) == ("b", (2, 3))
    survives(body)


def test_null_for_a_field_of_go_reads_as_absent() -> None:
    record = parse(b'{"conversation_id":"c1","title":null,"turns":null,"updated":null}')
    assert record.head == Head("c1")


def test_without_a_readable_time_the_newest_turn_says_when() -> None:
    turns = '[{"ts":"2026-03-01T10:00:00Z"},{"ts":"2026-03-01T10:30:00+01:00"},{"ts":1e9}]'
    for updated in ('"soon"', "null", "5", '"2026-02-30T00:00:00Z"', '"9999-12-31T23:59:59-09:00"'):
        body = f'{{"conversation_id":"c1","turns":{turns},"updated":{updated}}}'
        assert parse(body.encode()).head.updated_ns == NOW


def test_a_turn_without_role_or_text_keeps_its_number_and_is_not_shown() -> None:
    record = parse(json.dumps({**STEM, **END}).encode())
    assert record.head.turn_count == len(FOREIGN_TURNS)
    assert [turn.index for turn in record.readable_turns()] == [0, 3]


@given(st.lists(json_values, max_size=4), json_objects, st.sampled_from([None, 0, 2]), st.data())
def test_a_foreign_file_survives_an_append_whatever_it_holds(
    turns: list[JsonValue], fields: JsonObject, indent: int | None, data: st.DataObject
) -> None:
    value: JsonObject = {**fields, "conversation_id": "c1", "turns": turns}
    order = data.draw(st.permutations(list(value)))
    survives(json.dumps({name: value[name] for name in order}, indent=indent).encode())


@given(loose_texts, loose_texts)
def test_lone_surrogates_in_an_id_or_a_title_are_read_and_can_be_written(
    conversation_id: str, title: str
) -> None:
    body = json.dumps({"conversation_id": conversation_id, "title": title, "turns": []}).encode()
    record = parse(body)
    assert record.head.conversation_id == json.loads(json.dumps(conversation_id))
    record.head.encode().decode()
