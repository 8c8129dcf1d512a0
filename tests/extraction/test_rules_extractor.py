"""The extractor without a model.

What it finds does not depend on how turns are cut into windows.
"""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.extraction_window import MAX_TURNS, window_of
from everturn.extraction.answers.findings import Extracted
from everturn.extraction.rules.extract_by_rules import RulesExtractor
from everturn.values.go_json import JsonObject

TALK = (
    "My name is Dana and I live in Lisbon.",
    "I prefer short answers.",
    "Let's role-play. You are a wizard and I am a hobbit.",
    "My name is Gandalf. I live in Rivendell.",
    "I am allergic to balrogs.",
    *("Go on." for _ in range(20)),
    "I work at Moria Mining.",
    "End of the role-play. Let's stop here.",
    "I prefer tea to coffee.",
)
VALUES: list[JsonObject] = [
    {"role": "user", "text": text, "ts": "2026-01-01T00:00:00Z"} for text in TALK
]


def _found(borders: list[int]) -> list[Extracted]:
    found: list[Extracted] = []
    for begin, end in pairwise([0, *borders, len(VALUES)]):
        first = max(begin - MAX_TURNS, 0)
        window = window_of("c", VALUES[first:], first=first, begin=begin, end=end)
        found += RulesExtractor().extract(window).memories
    return found


@given(st.sets(st.integers(1, len(VALUES) - 1)).map(sorted))
def test_however_turns_are_cut_the_same_is_found(borders: list[int]) -> None:
    assert _found(borders) == _found([])


def test_what_is_said_in_a_play_is_not_found() -> None:
    said = [one.draft.statement for one in _found(list(range(1, len(VALUES))))]
    assert said == [
        "The user's name is Dana",
        "The user lives in Lisbon",
        "The user prefers short answers",
        "The user prefers tea to coffee",
    ]


def test_it_reads_any_window_at_once_and_always_works() -> None:
    window = window_of("c", VALUES, first=0, begin=3, end=len(VALUES))
    extractor = RulesExtractor()
    assert extractor.fitting(window) is window
    assert (extractor.works(), extractor.costs_tokens, extractor.name) == (True, False, "rules")
