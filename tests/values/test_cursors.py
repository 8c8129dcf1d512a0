"""Cursors of lists and of recent turns."""

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import InvalidRequestError
from everturn.values.cursors import (
    ListCursor,
    RecentCursor,
    parse_list_cursor,
    parse_recent_cursor,
)
from everturn.values.go_json import JsonValue, dumps
from strategies.json_values import json_values, texts, times_ns


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


@given(times_ns, texts)
def test_a_cursor_reads_back_as_it_was_given_out(updated_ns: int, conversation_id: str) -> None:
    cursor = ListCursor(updated_ns, conversation_id)
    assert parse_list_cursor(cursor.encode()) == cursor


@given(times_ns, texts)
def test_a_cursor_needs_no_escaping_in_a_query(updated_ns: int, conversation_id: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+", ListCursor(updated_ns, conversation_id).encode())


@pytest.mark.parametrize(
    "text",
    [
        "", "=", "a", "%%%", "é", "null", "undefined", "1", "../..", "AAAA", "a b", "\ud800",
        *map(encoded, (
            "", "{}", "[]", "[1]", '[1,"a",2]', '["1","a"]', "[1,1]", '[1.0,"a"]', '[null,"a"]',
            '[true,"a"]', "[1,null]", '{"a":1,"b":2}', '"ab"', "12", "null", '[1,"a"', '[NaN,"a"]',
            '[1e400,"a"]', f'[{"9" * 5_000},"a"]', "[" * 100_000,
        )),
        base64.urlsafe_b64encode(b'[1,"\xff"]').decode("ascii"),
    ],
)  # fmt: skip
def test_what_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="this is no cursor of a list") as caught:
        parse_list_cursor(text)
    assert caught.value.field == "cursor"


@given(st.text() | json_values.map(dumps).map(encoded) | st.binary().map(lambda raw: raw.hex()))
def test_any_text_is_a_cursor_or_is_refused(text: str) -> None:
    try:
        cursor = parse_list_cursor(text)
    except InvalidRequestError:
        return
    assert parse_list_cursor(cursor.encode()) == cursor


@given(json_values)
def test_only_a_time_and_an_id_make_a_cursor(value: JsonValue) -> None:
    match value:
        case [int(time_ns), str(conversation_id)] if not isinstance(time_ns, bool):
            cursor = ListCursor(time_ns, conversation_id)
            assert parse_list_cursor(encoded(dumps(value))) == cursor
        case _:
            with pytest.raises(InvalidRequestError):
                parse_list_cursor(encoded(dumps(value)))


@given(times_ns, texts, st.integers(0, 10**9))
def test_a_cursor_of_recent_turns_reads_back_as_it_was_given_out(
    ts_ns: int, conversation_id: str, index: int
) -> None:
    cursor = RecentCursor(ts_ns, conversation_id, index)
    assert parse_recent_cursor(cursor.encode()) == cursor


@pytest.mark.parametrize("text", ["", "W10", *map(encoded, ('[1,"a"]', '[1,"a",true]', "{}"))])
def test_what_is_no_cursor_of_recent_turns_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="this is no cursor of recent turns") as caught:
        parse_recent_cursor(text)
    assert caught.value.field == "cursor"
