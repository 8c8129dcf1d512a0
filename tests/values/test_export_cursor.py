"""Cursors of an export: read again as they were, and never trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import InvalidRequestError
from everturn.values.cursors import EXPORTED_KINDS, ExportCursor, ListCursor, parse_export_cursor

NAMES = st.text(st.characters(max_codepoint=127))


@given(st.sampled_from(EXPORTED_KINDS), NAMES, st.integers(0), st.integers())
def test_a_cursor_is_read_again_as_it_was(kind: str, name: str, first: int, edits: int) -> None:
    cursor = ExportCursor(kind, name, first, edits)
    assert parse_export_cursor(cursor.encode()) == cursor


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError) as raised:
        parse_export_cursor(text)
    assert raised.value.field == "cursor"


@pytest.mark.parametrize(
    "cursor",
    [ListCursor(1, "c"), ExportCursor("s"), ExportCursor("c", "ä"), ExportCursor("c", "a", -1)],
)
def test_a_cursor_of_something_else_is_refused(cursor: ListCursor | ExportCursor) -> None:
    with pytest.raises(InvalidRequestError):
        parse_export_cursor(cursor.encode())
