"""Of what models note nearly all is kept that a turn says, and nearly nothing that it does not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from everturn.extraction.answers.field_values import Cite
from everturn.extraction.answers.parse_answer import Extraction
from everturn.extraction.answers.transcript_turn import shown_turns
from everturn.extraction.grounding.citations import cited
from extraction.drawn_windows import turn
from extraction.grounding.statement_pairs import Pair, locomo_pairs, table_pairs

_COUNT = 60
_OF_TALKS = 200
_AT = "2024-05-24T10:00:00Z"


def _is_kept(statement: str, said: Pair) -> bool:
    """Say whether a statement becomes a memory that quotes the turn of a pair."""
    turns = [
        turn(number, "user", text, _AT, name=name)
        for number, (text, name) in enumerate(zip(said.texts, said.names, strict=True))
    ]
    cites = {"facts": (Cite((said.number,), said.quote),)}
    found = cited(Extraction("ok", facts=[statement], cites=cites), shown_turns(turns))
    return bool(found.memories)


def _shares(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Return which share is kept of true pairs, and of statements with the quote of another."""
    half = len(pairs) // 2
    others = [*pairs[half:], *pairs[:half]]
    kept = [_is_kept(pair.statement, pair) for pair in pairs]
    invented = [_is_kept(pair.statement, other) for pair, other in zip(pairs, others, strict=True)]
    return sum(kept) / len(pairs), sum(invented) / len(pairs)


def test_of_sixty_notes_nearly_all_are_kept_and_none_with_the_quote_of_another() -> None:
    pairs = list(table_pairs())
    assert len(pairs) == _COUNT

    kept, invented = _shares(pairs)
    assert kept >= 0.95
    assert invented <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("count", [_OF_TALKS])
def test_of_notes_about_long_talks_too(public_data: Path, count: int) -> None:
    """Annotators wrote them in their own words; of 1,000 it was 90 and less than 1 in 100."""
    if not (public_data / "locomo10.json").is_file():
        pytest.skip("needs locomo10.json")

    kept, invented = _shares(locomo_pairs(public_data, count))
    assert kept >= 0.88
    assert invented <= 0.02
