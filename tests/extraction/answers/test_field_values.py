"""What models put where a list of texts, a pattern or an outcome belongs."""

import pytest
from hypothesis import given

from cpu_time import cpu_limit
from everturn.extraction.answers.field_values import items_of, outcome_of, pattern_of, text_of
from everturn.values.go_json import JsonValue
from strategies.json_values import json_values


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (None, []), ("", []), ("none", []), ("N/A", []), ("[]", []), ("...", []), ({}, []),
        ("\u200b", []), ("a", ["a"]), (["a", None, "", [], "b"], ["a", "b"]),
        ('["a", "b"]', ["a", "b"]), ("['a', 'b']", ["a", "b"]), ("[see a] b", ["[see a] b"]),
        ("- a\n- b", ["a", "b"]), ("1. a\n2. b\n", ["a", "b"]), ("a\nb", ["a\nb"]),
        ("- a", ["- a"]), ("We moved\nto port - 5", ["We moved\nto port - 5"]),
        ({"fact": "a", "x": 1}, [{"fact": "a", "x": 1}]),
        ({"1": "a", "2": "b"}, ["a", "b"]), ({"items": ["a"]}, ["a"]), ({"x": 1}, [{"x": 1}]),
        ({"go": {"steps": ["a"]}}, [{"name": "go", "steps": ["a"]}]), (["[1]"], [[1]]),
    ],
)  # fmt: skip
def test_a_list_field_gives_its_items_in_whatever_shape(
    value: JsonValue, items: list[JsonValue]
) -> None:
    assert items_of(value) == items


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"), ({"fact": "a"}, "a"), ({"text": "a", "confidence": 1}, "a"), ("none", None),
        ({"text": None, "fact": "b"}, "b"), ({"x": "a"}, None), (5, None), (True, None),
        (["a"], None), ("\ud83d\ude00", "\U0001f600"), ("a\ud83d", "a\ufffd"),
    ],
)  # fmt: skip
def test_an_item_gives_its_text_and_never_its_repr(value: JsonValue, text: str | None) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("steps", "read"),
    [
        ("1. build\n2. push", ["build", "push"]), ("1. build 2. push", ["build", "push"]),
        ("build 2. push", ["build 2. push"]), (["1. build", "2. push"], ["build", "push"]),
        (["Step 1: build", "Step 2: push"], ["build", "push"]), (["build"], ["build"]),
        (["1. build", "push"], ["1. build", "push"]), ([{"action": "build"}], ["build"]),
        ([{"step": 1, "action": "build"}], ["build"]), ([{"1": "build"}], ["build"]),
        ({"1": "build", "2": "push"}, ["build", "push"]), ("build", ["build"]),
    ],
)  # fmt: skip
def test_steps_are_a_list_of_texts(steps: JsonValue, read: list[str]) -> None:
    pattern = pattern_of({"name": "a", "steps": steps, "gotchas": None, "preconditions": "b"})

    assert pattern == {
        "name": "a", "trigger": "", "preconditions": ["b"], "steps": read, "gotchas": [],
        "success_criteria": [],
    }  # fmt: skip


def test_a_text_is_a_pattern_of_one_step() -> None:
    pattern = pattern_of("restart the pod")

    assert pattern is not None
    assert (pattern["name"], pattern["steps"]) == ("", ["restart the pod"])


@pytest.mark.parametrize(
    "value",
    [
        None, 5, [], {}, {"name": "a"}, {"name": "a", "steps": []}, {"steps": ["a", 5]},
        {"steps": ["a" * 1_001]}, {"steps": ["a"] * 33}, {"name": "a" * 201, "steps": ["a"]},
        {"trigger": "a" * 1_001, "steps": ["a"]}, {"steps": ["a"], "gotchas": [{}, {"x": [1]}]},
    ],
)  # fmt: skip
def test_a_pattern_without_all_of_its_steps_is_none(value: JsonValue) -> None:
    assert pattern_of(value) is None


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ({"summary": "a", "status": "  SUCCESS \n"}, ("a", "success")),
        ({"summary": "a", "status": "Completed."}, ("a", "success")),
        ({"summary": "a", "status": "failed"}, ("a", "failure")),
        ({"summary": "a", "status": "partial_success"}, ("a", "partial")),
        ({"summary": "a", "status": "partially-completed"}, ("a", "partial")),
        ({"summary": "a", "status": "in progress"}, ("a", "unknown")),
        ({"summary": "a", "status": ["success"]}, ("a", "unknown")),
        ({"summary": None}, ("", "unknown")),
        ({"summary": "a", "success": False}, ("a", "failure")),
        ({"summary": ["a", "b", 5]}, ("a b", "unknown")),
        ({"summary": {"a": 1}}, ("", "unknown")),
        ("a", ("a", "unknown")),
        ('{"summary": "a", "status": "success"}', ("a", "success")),
        ([{"summary": "a", "status": "success"}], ("a", "success")),
        (None, ("", "unknown")),
        (5, ("", "unknown")),
    ],
)
def test_an_outcome_is_a_text_and_one_of_four_words(
    value: JsonValue, outcome: tuple[str, str]
) -> None:
    assert outcome_of(value) == outcome


@given(json_values)
def test_any_value_has_a_shape(value: JsonValue) -> None:
    assert all(text_of(item) is None or text_of(item) for item in items_of(value))
    assert all(isinstance(part, str) for part in outcome_of(value))
    assert pattern_of(value) is None or pattern_of(pattern_of(value)) == pattern_of(value)


@pytest.mark.parametrize("piece", [" ", "\n", "\t", "1. ", "- "])
def test_a_long_run_is_read_in_time_that_grows_as_it_does(piece: str) -> None:
    """Quadratic time would take minutes here."""
    run = "a\n" + piece * (100_000 // len(piece)) + "x"

    with cpu_limit(10):
        items_of(run)
        pattern_of(run)
        outcome_of(run)
