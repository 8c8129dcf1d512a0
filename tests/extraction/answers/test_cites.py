"""Where a model says that it found an item, in every shape, beside the item itself."""

import json

import pytest
from hypothesis import given

from everturn.extraction.answers.field_values import Cite, cite_of, items_of
from everturn.extraction.answers.parse_answer import parse_extraction
from everturn.values.go_json import JsonObject, JsonValue
from extraction.answers.model_answers import CLEAN, WRITTEN, written
from strategies.json_values import json_values


@pytest.mark.parametrize(
    ("item", "turns"),
    [
        ({"turn": 12}, (12,)), ({"turn": "12"}, (12,)), ({"turn": "user #12"}, (12,)),
        ({"turns": [1, "#2", None]}, (1, 2)), ({"turns": "3-5"}, (3, 5)), ({"turn": [7]}, (7,)),
        ({"turn": True}, ()), ({"turn": 1.5}, ()), ({"turn": None}, ()), ({}, ()), ("#12", ()),
        ({"turn": "9" * 40}, (999_999_999,) * 4 + (9_999,)),
    ],
)  # fmt: skip
def test_turns_are_numbers_in_any_shape(item: JsonValue, turns: tuple[int, ...]) -> None:
    assert cite_of(item).turns == turns


@pytest.mark.parametrize(
    ("item", "quote"),
    [
        ({"quote": "a b"}, "a b"), ({"quote": ["a", "b"]}, "a"), ({"quote": {"x": 1}}, ""),
        ({"quote": "x" * 5_000}, ""), ({}, ""), (["quote"], ""),
    ],
)  # fmt: skip
def test_a_quote_is_one_text(item: JsonValue, quote: str) -> None:
    assert cite_of(item).quote == quote


@given(json_values)
def test_whatever_stands_there_is_read_without_an_error(value: JsonValue) -> None:
    cite = cite_of({"turn": value, "quote": value})

    assert len(cite.turns) <= 64


def test_cites_stand_beside_the_items_that_were_kept() -> None:
    """What is dropped before an item takes its cite with it."""
    facts: list[JsonValue] = [
        {"text": "", "turn": 1, "quote": "x", "why": "y"},
        {"text": "Billing listens on 8081.", "turn": 2, "quote": "8081"},
        {"text": "billing listens on 8081", "turn": 3, "quote": "again"},
        "The disk is full.",
        {"fact": "It was cleaned.", "turns": [4, 5]},
    ]
    answer: JsonObject = {
        "facts": facts,
        "user_facts": [],
        "patterns": [{"name": "a", "steps": ["b"], "turns": [6, 7], "quote": "c"}],
        "outcome": {"summary": "Done.", "status": "success", "turn": 8, "quote": "d"},
    }
    found = parse_extraction(json.dumps(answer))

    assert found.facts == ["Billing listens on 8081.", "The disk is full.", "It was cleaned."]
    assert found.cites["facts"] == (Cite((2,), "8081"), Cite(), Cite((4, 5)))
    assert found.cites["patterns"] == (Cite((6, 7), "c"),)
    assert found.cites["outcome"] == (Cite((8,), "d"),)


def test_items_without_cites_have_empty_ones() -> None:
    found = parse_extraction(WRITTEN)

    assert written(found) == CLEAN
    assert found.cites["facts"] == (Cite(), Cite())


@pytest.mark.parametrize(
    "blank",
    [
        {"text": "", "turn": 0, "quote": ""}, {"text": "...", "turn": 0, "quote": "..."},
        {"name": "", "trigger": "", "steps": [], "turns": [0]}, {"fact": None},
    ],
)  # fmt: skip
def test_the_blank_shape_of_an_item_is_no_item(blank: JsonObject) -> None:
    assert items_of([blank, "a"]) == ["a"]


def test_an_object_that_is_no_item_of_ours_stays_one() -> None:
    assert items_of([{"x": 1}]) == [{"x": 1}]
