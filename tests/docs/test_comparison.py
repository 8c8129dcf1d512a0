"""The comparison names a source, with a day, for what it says of others."""

import re

import pytest

from docs.page_blocks import ROOT

PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
TEXT, _, LIST = PAGE.partition("## Sources\n")
SOURCES: dict[str, str] = dict(
    re.findall(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", LIST, re.MULTILINE | re.DOTALL)
)


def test_every_number_is_a_source_and_every_source_is_used() -> None:
    told = {n for group in re.findall(r"\[(\d+(?:, \d+)*)\]", TEXT) for n in group.split(", ")}
    assert told == set(SOURCES)


@pytest.mark.parametrize("number", list(SOURCES))
def test_a_source_says_where_and_when(number: str) -> None:
    assert re.search(r"\]\(https://|`\w[\w/]+\.py`", SOURCES[number])
    assert re.search(r"\b20\d\d-\d\d-\d\d\b", SOURCES[number])


@pytest.mark.parametrize(
    "word", ["best", "fastest", "cheapest", "leading", "unmatched", "only one"]
)
def test_it_claims_no_superlative(word: str) -> None:
    assert not re.search(rf"\b{word}\b", PAGE, re.IGNORECASE)
