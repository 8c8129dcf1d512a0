"""What is preferred to what, and whether two texts say it the other way round.

Told by words of English; what is preferred in other words than these is not compared.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple

_OVER: Final = r"(?:over|rather than|instead of|more than|than)"
_PREFER: Final = r"\b(?:prefer(?:s|red|ring)?|favou?r(?:s|ed|ing)?)\s+"
# Longer ones are no side; and a long row without an end is not read again and again.
_MORE: Final = r"(?P<more>[^,;:.!?\n]{1,80}?)"
_LESS: Final = r"(?P<less>[^,;:.!?\n]{1,80})"
# In their order: `to` is in much that is preferred, and parts two sides where nothing else does.
_PREFERRED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_PREFER}{_MORE},?\s+{_OVER}\s+{_LESS}",
        rf"{_PREFER}(?:to\s+)?{_MORE}\s+to\s+{_LESS}",
        rf"\brather\s+{_MORE}\s+than\s+{_LESS}",
        rf"\b(?:lik|lov|enjoy)(?:e|es|ed|s|ing)?\s+{_MORE}\s+(?:more|better)\s+than\s+{_LESS}",
        rf"{_PREFER}(?P<more>[^,;:.!?\n]{{1,80}})(?P<less>)",
    )
)
# Without a word for it, this may be said of anything: it counts beside a preference alone.
_ELLIPTIC = re.compile(rf"{_MORE}\s+(?:over|rather than|instead of)\s+{_LESS}", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(
    r"\s(?:and|but|because|since|so)\s(?:i|i'm|he|she|it|we|they|my|our)\b.*", re.IGNORECASE
)

TermsOf = Callable[[str], frozenset[int]]
"""Gives the terms of a text."""


class _Sides(NamedTuple):
    """What is preferred, and to what: "" where that is not said."""

    more: str
    less: str


def is_other_way_round(statement: str, sentence: str, terms_of: TermsOf) -> bool:
    """Say whether a statement prefers what a sentence likes less, or the other way round.

    The words that stand on both sides of the sentence tell nothing: `green tea to black tea`.
    """
    asked = _sides(statement, *_PREFERRED)
    told = None if asked is None else _sides(sentence, *_PREFERRED[:-1], _ELLIPTIC)
    if asked is None or told is None:
        return False
    more, less = terms_of(told.more), terms_of(told.less)
    return _is_of(terms_of(asked.more), less - more, more - less) or _is_of(
        terms_of(asked.less), more - less, less - more
    )


def _is_of(terms: frozenset[int], one: frozenset[int], other: frozenset[int]) -> bool:
    return not terms.isdisjoint(one) and terms.isdisjoint(other)


def _sides(text: str, *patterns: re.Pattern[str]) -> _Sides | None:
    for pattern in patterns:
        if found := pattern.search(text):
            return _Sides(found["more"], _NEXT_CLAUSE.sub("", found["less"]))
    return None
