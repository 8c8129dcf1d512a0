"""JSON as models write it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.extraction.answers.lenient_json import LooseValue, read_loose, read_strict
from everturn.values.go_json import JsonValue
from strategies.json_values import texts, values_of


def _read(text: str) -> LooseValue | None:
    return read_loose(text, 0, is_partial=lambda name: name in {"", "facts"})


def _without_numbers(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_numbers(item) for name, item in value.items()}
    return value if isinstance(value, str | bool) else None


@given(st.lists(values_of(texts)) | st.dictionaries(texts, values_of(texts)))
def test_json_is_read_as_json(value: JsonValue) -> None:
    """Numbers are looked at elsewhere."""
    for written in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False)):
        found = _read(written)
        strict = read_strict(written)
        assert found is not None
        assert strict is not None
        assert _without_numbers(found.value) == _without_numbers(strict.value)
        assert _without_numbers(strict.value) == _without_numbers(value)
        assert (found.end, found.cut, found.damaged) == (len(written), False, False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': None, 'b': True, 'c': 'x'}", {"a": None, "b": True, "c": "x"}),
        ("{a: 1, b-c: [2,],}", {"a": 1, "b-c": [2]}),
        ('{"a": ["b", ...], ... "c": "d..."}', {"a": ["b"], "c": "d..."}),
        ('{"a": "https://b//c" /* d } */, // e\n"f": 2}', {"a": "https://b//c", "f": 2}),
        ('{"a": NaN, "b": -Infinity, "c": 1.5e3}', {"a": None, "b": None, "c": None}),
        ('{"a"\uff1a "b"\uff0c "c": "d"}', {"a": "b", "c": "d"}),
        ('{"a": ["b"\n"c"]\n"d": 1}', {"a": ["b", "c"], "d": 1}),
        ('{"a": ["b"], "a": ["c"]}', {"a": ["b", "c"]}),
        ('{"a": "b", "a": null}', {"a": "b"}),
    ],
)  # fmt: skip
def test_what_is_no_json_but_clear_is_read(text: str, value: JsonValue) -> None:
    found = _read(text)

    assert found is not None
    assert (found.value, found.cut, found.damaged) == (value, False, False)


@pytest.mark.parametrize(
    "text",
    ["{a, b}", "{a}", '{"a" ["b"]}', '["a": "b"]', '{"a": ["b"}', '{"a": b}', "[" * 100, "{,:}"],
)
def test_what_is_not_clear_is_nothing(text: str) -> None:
    assert _read(text) is None


def test_a_word_that_strayed_in_is_left_out_and_told() -> None:
    found = _read('{"a": 1, NOTE "b": 2}')

    assert found is not None
    assert (found.value, found.damaged) == ({"a": 1, "b": 2}, True)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"facts": ["a", "b', {"facts": ["a"]}),
        ('{"facts": ["a", {"b": "c", "d": [1', {"facts": ["a"]}),
        ('{"x": {"facts": ["a", "b', {"x": {"facts": ["a"]}}),
        ('{"facts": ["a"], "x": {"b": 1', {"facts": ["a"]}),
        ('{"facts": ["a"], "x', {"facts": ["a"]}),
        ('["a", "b', ["a"]),
        ('{"x": ["a", "b', None),
        ('{"x": 1', None),
    ],
)
def test_where_the_text_ends_whole_items_of_the_lists_that_may_be_cut_are_kept(
    text: str, value: JsonValue
) -> None:
    found = _read(text)

    assert found == (None if value is None else LooseValue(value, len(text), cut=True))


@pytest.mark.parametrize("text", ["[1e999]", "[" + "9" * 5_000 + "]", "[NaN]"])
def test_numbers_that_nobody_can_hold_are_null(text: str) -> None:
    assert read_strict(text) == LooseValue([None], len(text))


def test_what_is_nested_beyond_reason_is_nothing() -> None:
    assert read_strict("[" * 100_000) is None
