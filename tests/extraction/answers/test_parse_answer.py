"""What of a model's answer is kept, and whether to ask again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.extraction.answers.parse_answer import LIMITS, Extraction, parse_extraction
from everturn.memory.model.pattern_spec import parse_spec
from everturn.values.go_json import JsonValue
from everturn.values.identifier_spans import identifier_spans
from extraction.answers.model_answers import (
    CLEAN,
    EMPTY,
    WRITTEN,
    drawn_answers,
    word_texts,
    written,
)
from strategies.json_values import json_values, loose_texts

_finish_reasons = st.sampled_from([None, "stop", "length", "MAX_TOKENS", "x"])
_transcripts = st.none() | drawn_answers | loose_texts | word_texts


def _identifiers(text: str) -> set[str]:
    return {text[begin:end] for begin, end in identifier_spans(text)}


def test_a_clean_answer_is_taken_as_it_is() -> None:
    found = parse_extraction(WRITTEN, finish_reason="stop")

    assert (found.result, written(found), found.dropped) == ("ok", CLEAN, {})


def test_that_there_is_nothing_is_a_complete_answer() -> None:
    found = parse_extraction(json.dumps({**EMPTY, "outcome": None}))

    assert (found.result, written(found), found.is_empty) == ("ok", EMPTY, True)


@pytest.mark.parametrize(
    "raw",
    [
        None, 5, [None], "", " \n", "I cannot help with that.", "{}", "[]", "null",
        '{"items": ["a"]}', "<think>the facts are", '{"facts": [5, {"x": 1}]}', '{"facts": ["A on',
        '{"type": "object", "properties": {"facts": {"type": "array"}}}',
    ],
)  # fmt: skip
def test_an_answer_that_says_nothing_of_ours_is_a_failure_and_holds_nothing(
    raw: JsonValue,
) -> None:
    found = parse_extraction(raw, finish_reason="stop")

    assert (found.result, written(found)) == ("fail", EMPTY)


@given(drawn_answers, _finish_reasons, _transcripts)
def test_whatever_a_model_returns_is_read_without_an_error(
    raw: str, finish_reason: str | None, transcript: str | None
) -> None:
    """What is kept is strict JSON in UTF-8, within the limits, and fit to be stored."""
    found = parse_extraction(raw, finish_reason=finish_reason, transcript=transcript)

    json.dumps(written(found), ensure_ascii=False, allow_nan=False).encode()
    assert len(found.facts) <= LIMITS["facts"]
    assert len(found.user_facts) <= LIMITS["user_facts"]
    assert len(found.patterns) <= LIMITS["patterns"]
    assert all(text == " ".join(text.split()) != "" for text in found.facts + found.user_facts)
    for pattern in found.patterns:
        parse_spec({name: held for name, held in pattern.items() if held})
    if found.result == "fail":
        assert written(found) == EMPTY


@given(st.dictionaries(st.sampled_from([*CLEAN, "other"]), json_values))
def test_fields_of_any_shape_are_read_without_an_error(fields: dict[str, object]) -> None:
    found = parse_extraction(json.dumps(fields), transcript="user: a\nassistant: 5")

    json.dumps(written(found), allow_nan=False)


@given(drawn_answers, _transcripts)
def test_what_was_kept_reads_as_itself(raw: str, transcript: str | None) -> None:
    once = parse_extraction(raw, transcript=transcript)
    again = parse_extraction(json.dumps(written(once)), transcript=transcript)

    # An answer that its transcript quotes is none.
    if again.result != "fail":
        assert written(again) == written(once)
        assert not again.dropped


@given(st.lists(word_texts, max_size=6), word_texts)
def test_no_identifier_is_kept_that_the_transcript_does_not_hold(
    statements: list[str], transcript: str
) -> None:
    """Numbers may be words there, and written otherwise."""
    found = parse_extraction(json.dumps({"facts": statements}), transcript=transcript)

    known = _identifiers(transcript) | {"5000", "2"}
    if "2024-05-24" in transcript:
        known |= {"2024"}
    assert {name for text in found.facts for name in _identifiers(text)} <= known


@given(st.integers(0, len(WRITTEN)))
def test_of_a_cut_answer_whole_items_are_kept_and_no_part_of_one(size: int) -> None:
    found = parse_extraction(WRITTEN[:size], finish_reason="length")

    whole = parse_extraction(WRITTEN)
    assert found.facts == whole.facts[: len(found.facts)]
    assert found.user_facts == whole.user_facts[: len(found.user_facts)]
    assert found.patterns in ([], whole.patterns)
    assert found.outcome in (EMPTY["outcome"], whole.outcome)
    assert (found.result == "ok") == (size == len(WRITTEN))
    assert found.result != "salvaged" or not found.is_empty


@pytest.mark.parametrize("reason", ["length", "max_tokens", "MAX_TOKENS", "content_filter"])
def test_an_object_that_is_whole_is_complete_whatever_ended_the_answer(reason: str) -> None:
    assert parse_extraction(WRITTEN, finish_reason=reason).result == "ok"
    assert parse_extraction(WRITTEN + " And", finish_reason=reason).result == "salvaged"
    assert parse_extraction(WRITTEN + " And", finish_reason="stop").result == "ok"


def test_the_first_items_are_kept_and_the_others_counted() -> None:
    raw = json.dumps({"facts": [*"abcdefg", "A.", "c"], "patterns": [*"abcd"]})

    found = parse_extraction(raw)

    assert found.facts == [*"abcde"]
    assert [pattern["steps"] for pattern in found.patterns] == [["a"], ["b"], ["c"]]
    assert found.dropped == {"duplicate": 2, "limit": 3}


def test_what_is_left_out_is_counted_by_its_reason() -> None:
    facts = [
        "The port is 8081.", "The port is 8082.", "The password is hunter2.", "x" * 2_001, {"a": 1},
        "Acorn Labs keeps bees in Ohio.",
    ]  # fmt: skip

    found = parse_extraction(json.dumps({"facts": facts}), transcript="user: the port is 8081")

    assert found.facts == ["The port is 8081."]
    assert found.dropped == {"verbatim": 1, "secret": 1, "long": 1, "shape": 1, "echo": 1}


def test_a_pattern_of_which_one_text_is_not_believed_is_left_out_whole() -> None:
    pattern = {"name": "deploy", "steps": ["build", "push to port 9090"]}

    found = parse_extraction(json.dumps({"patterns": [pattern]}), transcript="user: build, push")

    assert (found.result, found.patterns, found.dropped) == ("ok", [], {"verbatim": 1})


def test_a_summary_that_is_not_believed_leaves_the_status() -> None:
    raw = json.dumps({"outcome": {"summary": "Fixed issue 42.", "status": "done"}})

    found = parse_extraction(raw, transcript="user: fix the issue")

    assert found.outcome == {"summary": "", "status": "success"}


def test_examples_of_the_prompt_are_no_facts_unless_they_were_said() -> None:
    raw = json.dumps({"facts": ["The user has a boat."]})
    examples = ["The user has a boat"]

    assert parse_extraction(raw, transcript="user: hello", examples=examples).facts == []
    said = parse_extraction(raw, transcript="user: so the user has a boat.", examples=examples)
    assert said.facts == ["The user has a boat."]


@pytest.mark.parametrize("raw", [CLEAN, [{"type": "text", "text": WRITTEN}], [CLEAN]])
def test_an_answer_that_was_read_already_is_taken_too(raw: JsonValue) -> None:
    assert written(parse_extraction(raw)) == CLEAN


def test_a_failure_is_not_the_same_as_nothing_found() -> None:
    assert Extraction("fail") != Extraction("ok")
