"""Who and what a statement names, and whether it is English.

Not here: where names have to stand (domain/statement_grounds.py, domain/statement_guard.py). Only
in English does a capital inside a sentence tell a name.
"""

import re
from typing import Final

from everturn.domain.language import ENGLISH

_NAMED = re.compile(r"(?<=[A-Za-z0-9,;:'\"(] )['\"(]?([A-Z][a-z]+|[A-Z]{3,})\b")
_ENGLISH = re.compile(
    r"\b(?:the|this|that|is|are|was|has|of|you|my|and|with|which|what)\b", re.IGNORECASE
)
_CALENDAR: Final = frozenset((*ENGLISH.months, *ENGLISH.weekdays))


def is_english(text: str) -> bool:
    """Say whether a text holds a word that is in most English sentences."""
    return _ENGLISH.search(text) is not None


def names_in(statement: str) -> frozenset[str]:
    """Return the capitalised words inside a statement in lower case, but for months and weekdays.

    Its first word has a capital whatever it is, and is none of them.
    """
    found = (name.lower() for name in _NAMED.findall(statement))
    return frozenset(name for name in found if name not in _CALENDAR | ENGLISH.stop_words)
