"""A procedure is remembered where the turns that it cites say all of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.extraction_window import Window
from everturn.extraction.answers.parse_answer import parse_extraction
from everturn.extraction.answers.prompt import extraction_prompt
from everturn.extraction.grounding.citations import Cited, cited
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.identifier_spans import identifier_spans
from extraction.drawn_windows import turn, window

SAID = window(
    turn(0, "user", "our ticket is OPS-4711"),
    turn(1, "user", "To rotate a key: create a new key, deploy it with keyctl-2, revoke the old."),
    turn(2, "assistant", "Created the key, deployed it and revoked the old one."),
    turn(3, "user", "Never restart the server for it! Should I flush the cache?"),
)


def _cited(answer: JsonObject, read: Window) -> Cited:
    prompt = extraction_prompt(read)
    return cited(parse_extraction(json.dumps(answer), transcript=prompt.user), prompt.shown)


def _pattern(*steps: str, gotcha: str = "") -> Cited:
    held: list[JsonValue] = [*steps]
    pattern: JsonObject = {"name": "rotate a key", "steps": held, "gotchas": [gotcha]}
    return _cited({"patterns": [pattern]}, SAID)


@pytest.mark.parametrize(
    ("steps", "gotcha", "turns"),
    [
        (("create a new key", "revoke the old key"), "", (1, 1)),
        (("create a new key", "deploy it with keyctl-2"), "", (1, 1)),
        (("create a new key", "revoke the old key"), "ticket OPS-4711", (0, 1)),
    ],
)
def test_a_pattern_cites_what_says_all_of_its_parts(
    steps: tuple[str, ...], gotcha: str, turns: tuple[int, int]
) -> None:
    memory = _pattern(*steps, gotcha=gotcha).memories[0]

    assert (memory.first_turn, memory.last_turn) == turns


@pytest.mark.parametrize(
    ("steps", "gotcha"),
    [
        (("create a new key", "email the customers"), ""),
        (("create a new key", "restart the server"), ""),
        (("create a new key", "flush the cache"), ""),
        (("create a new key",), "peanuts are dangerous"),
    ],
)
def test_a_pattern_of_which_one_part_is_not_said_is_left_out(
    steps: tuple[str, ...], gotcha: str
) -> None:
    assert _pattern(*steps, gotcha=gotcha) == ((), {"unsupported": 1})


_IDS = st.sampled_from(
    ["GX-4711-A9", "port 8081", "src/parse_v2.ts", "10.0.0.7", "the door", "tea"]
)
_TEXTS = st.lists(_IDS | st.just("opens the garage"), min_size=1, max_size=3).map(" ".join)


@given(st.lists(_TEXTS, min_size=2, max_size=7), st.data())
def test_each_identifier_of_a_memory_stands_in_the_turns_that_it_cites(
    said: list[str], data: st.DataObject
) -> None:
    """So it goes when the turn that said it is taken back."""
    read = window(*(turn(number, "user", text) for number, text in enumerate(said)))
    numbers = st.integers(0, len(said) - 1)

    def item() -> JsonObject:
        parts = [said[data.draw(numbers)] for _ in range(2)]
        named = data.draw(numbers)
        return {"text": "The user: " + " with ".join(parts), "turn": named, "quote": said[named]}

    for one in _cited({"facts": [item(), item()]}, read).memories:
        turns = " ".join(said[one.first_turn : one.last_turn + 1])
        text = one.draft.statement or ""
        assert all(text[begin:end] in turns for begin, end in identifier_spans(text))
        assert one.last_turn - one.first_turn < 3
