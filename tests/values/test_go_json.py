"""JSON is what Go prints."""

import json

import pytest
from hypothesis import given

from everturn.values.go_json import JsonValue, dumps
from golden_files import golden_rows
from strategies.json_values import as_stored, loose_texts, values_of


@given(values_of(loose_texts))
def test_what_is_written_reads_back_equal_but_for_lone_surrogates(value: JsonValue) -> None:
    assert json.loads(dumps(value)) == as_stored(value)


@given(values_of(loose_texts))
def test_the_output_is_utf_8_without_the_five_escaped_characters(value: JsonValue) -> None:
    assert not set(dumps(value).encode().decode()) & set("&<>\u2028\u2029")


@pytest.mark.parametrize("row", golden_rows("go_strings.json"))
def test_a_text_is_written_as_go_writes_it(row: dict[str, list[int] | str]) -> None:
    text = "".join(chr(int(code)) for code in row["codes"])
    assert dumps(text) == row["json"]


@pytest.mark.parametrize(
    ("half_pairs", "written"),
    [
        ("\ud800", "\ufffd"),
        ("a\udfffb", "a\ufffdb"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\U0001f600\ud83d", "\U0001f600\ufffd"),
    ],
)
def test_each_lone_surrogate_becomes_the_replacement_character(
    half_pairs: str, written: str
) -> None:
    """As Go reads the escapes of lone surrogates; the golden texts hold the same."""
    assert dumps(half_pairs) == f'"{written}"'
    assert written in {"".join(map(chr, row["codes"])) for row in golden_rows("go_strings.json")}


@pytest.mark.parametrize(("char", "written"), [("\b", r"\b"), ("\f", r"\f")])
def test_backspace_and_form_feed_have_the_short_escapes_of_go_1_22(char: str, written: str) -> None:
    """https://go.dev/doc/go1.22#encoding/json."""
    assert dumps(char) == f'"{written}"'


def test_nothing_stands_between_the_tokens() -> None:
    assert dumps({"a": [1, True, None, 0.5], "b": {}}) == '{"a":[1,true,null,0.5],"b":{}}'


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps({"a": [number]})
