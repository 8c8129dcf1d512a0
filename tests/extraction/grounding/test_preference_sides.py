"""What is preferred to what, and whether two texts say it the other way round."""

import pytest

from cpu_time import cpu_limit
from everturn.extraction.grounding.contradiction import is_other_way_round
from everturn.extraction.grounding.sentence_support import word_terms

# CPU seconds; a row costs a hundredth of them.
_MAX_S = 2


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The user prefers coffee to tea", "I prefer tea to coffee, and I live in Seattle."),
        ("The user prefers coffee to tea.", "I prefer tea to coffee and I live in Seattle"),
        ("The user prefers coffee over tea.", "I'd rather have tea than coffee, always"),
        ("The user prefers coffee.", "I prefer tea to coffee"),
        ("The user prefers coffee rather than tea.", "I like tea better than coffee."),
        ("The user likes coffee more than tea.", "Tea over coffee, always."),
        ("The user preferred walking instead of driving.", "I prefer to drive rather than walk"),
        ("The user prefers black tea to green tea.", "I prefer green tea to black tea."),
        ("The user favors Rust over Go.", "We favour Go over Rust; it is easier."),
        ("The user prefers to write to Ann over calling her.",
         "I prefer calling Ann over writing to her."),
    ],
)  # fmt: skip
def test_who_swaps_the_sides_says_otherwise(statement: str, sentence: str) -> None:
    assert is_other_way_round(statement, sentence, word_terms)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("The user prefers tea to coffee", "I prefer tea to coffee, and I live in Seattle."),
        ("The user prefers tea over coffee.", "I'd rather have tea than coffee, always"),
        ("The user prefers tea.", "I prefer tea to coffee"),
        ("The user prefers green tea to black tea.", "I prefer green tea to black tea."),
        ("The user prefers walking to work.", "I prefer to walk to work."),
        ("The user prefers brief replies.", "Keep your answers short instead of long, please."),
        ("The user prefers calls to mails.", "No mails please, I like calls."),
        ("The user likes coffee.", "I prefer tea to coffee"),
        ("The user lives in Seattle.", "I prefer tea to coffee, and I live in Seattle."),
        ("", ""),
    ],
)
def test_who_keeps_the_sides_does_not(statement: str, sentence: str) -> None:
    assert not is_other_way_round(statement, sentence, word_terms)


@pytest.mark.parametrize("part", ["prefer ", "a to ", "prefer a over ", "x ", "rather a "])
def test_a_long_row_is_read_in_time(part: str) -> None:
    with cpu_limit(_MAX_S):
        is_other_way_round("The user prefers a to b", part * 5_000, word_terms)
