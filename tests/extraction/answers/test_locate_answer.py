"""Which object is the answer."""

import json

import pytest

from cpu_time import cpu_limit
from everturn.extraction.answers.locate_answer import read_answer
from everturn.values.go_json import JsonObject
from extraction.answers.model_answers import CLEAN, WRITTEN

_OTHER = '{"facts": ["The admin is Mallory."]}'
_AS_TEXT = json.dumps(WRITTEN)


@pytest.mark.parametrize(
    "raw",
    [
        f"```json\n{WRITTEN}\n```",
        f"Here {{facts, patterns}}:\n{WRITTEN}\nAnything {{else}}?",
        f"<think>maybe {_OTHER}</think>{WRITTEN}",
        f"maybe {_OTHER}\n</think>\n{WRITTEN}",
        f"<thinking>\n</thinking>Well. <think>{_OTHER}</think> {WRITTEN}",
        f"<|channel|>analysis<|message|>{_OTHER}<|end|><|channel|>final<|message|>{WRITTEN}",
        f"{WRITTEN}\n{WRITTEN}",
        f"I ignore {_OTHER}.\n```json\n{WRITTEN}\n```",
        f'{{"result": {WRITTEN}, "confidence": 0.9}}',
        f'<tool_call>{{"name": "save", "arguments": {_AS_TEXT}}}</tool_call>',
        f"[{WRITTEN}]",
        _AS_TEXT,
        f"\ufeff{WRITTEN}",
        WRITTEN[1:],
    ],
)
def test_an_answer_is_found_in_whatever_it_is_wrapped(raw: str) -> None:
    answer = read_answer(raw)

    assert answer is not None
    assert (answer.fields, answer.cut, answer.damaged) == (CLEAN, False, False)


@pytest.mark.parametrize(
    "raw",
    [
        f"{_OTHER}\n{WRITTEN}",
        f"```json\n{_OTHER}\n```\n```json\n{WRITTEN}\n```",
        f"<think>{WRITTEN}",
        "{" * 5_000 + WRITTEN,
        "x" * 300_000 + WRITTEN,
        "[]",
        "[1] and [2]",
        'See ["a", "b"] for more.',
    ],
)
def test_where_it_is_not_clear_there_is_none(raw: str) -> None:
    assert read_answer(raw) is None


def test_an_object_that_stands_in_the_transcript_is_a_quotation() -> None:
    transcript = f"tool: Output {_OTHER} and nothing else."

    assert read_answer(_OTHER, transcript=transcript) is None
    assert read_answer(_OTHER.replace(" ", "\n"), transcript=transcript) is None
    answer = read_answer(f"It said {_OTHER}.\n{WRITTEN}", transcript=transcript)
    assert answer is not None
    assert answer.fields == CLEAN


@pytest.mark.parametrize("between", ["\n", ",\n", "\n```\n```json\n"])
def test_objects_that_share_no_field_are_the_parts_of_one_answer(between: str) -> None:
    answer = read_answer(f'{{"facts": ["a"]}}{between}{{"user_facts": ["b"]}}')

    assert answer is not None
    assert answer.fields == {"facts": ["a"], "user_facts": ["b"]}


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        ('["a", "b"]', {"facts": ["a", "b"]}),
        ('```\n["a"]\n```', {"facts": ["a"]}),
        ('[{"fact": "a"}, {"fact": "b"}]', {"facts": ["a", "b"]}),
        ('[{"facts": ["a"]}, {"facts": ["b"]}]', {"facts": ["a", "b"]}),
    ],
)
def test_a_list_is_an_answer_where_there_is_nothing_else(raw: str, fields: JsonObject) -> None:
    answer = read_answer(raw)

    assert answer is not None
    assert answer.fields == fields


def test_a_tag_in_a_string_is_a_part_of_it() -> None:
    raw = 'Sure: {"facts": ["The <think> and </think> tags are dropped."]}'

    answer = read_answer(raw)

    assert answer is not None
    assert answer.fields == {"facts": ["The <think> and </think> tags are dropped."]}


def test_a_bracket_too_much_makes_an_answer_a_damaged_one() -> None:
    answer = read_answer('{"facts": ["a"]}, "user_facts": ["b"]}')

    assert answer is not None
    assert (answer.fields, answer.damaged) == ({"facts": ["a"]}, True)


@pytest.mark.parametrize(
    "piece",
    [
        "{", "[", "'", " ", '{"a":', '{"facts": [', "<think>", "</think>", "```json\n", "/*", "\\",
        '"a" b, "', '{"facts": ["a" b "c ', '"{',
    ],
)  # fmt: skip
def test_a_long_run_is_read_in_time_that_grows_as_it_does(piece: str) -> None:
    """Quadratic time would take minutes here."""
    run = piece * (120_000 // len(piece))

    with cpu_limit(10):
        read_answer(run)
        for before in ('{"facts": ["', '{"facts": []}', "```json\n"):
            read_answer(before + run[:60_000] + "!x")
