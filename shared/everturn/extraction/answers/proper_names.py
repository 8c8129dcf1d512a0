"""Who and what a statement names, and whether it is English.

Only in English does a capital tell a name, and at the beginning of a statement only of a word that
is known for no plain one.
"""

import re
from functools import cache
from typing import Final

from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import common_terms, term_of_word, words_of

_NAMED = re.compile(r"(?<=[A-Za-z0-9,;:'\"(] )['\"(]?([A-Z][a-z]+|[A-Z]{3,})\b")
# What a digit or a mark goes on is an identifier, and `Don't` is nobody.
_FIRST = re.compile(
    r"\W*([^\W\d_]+(?:['\u2019](?!s\b|S\b)[A-Z][^\W\d_]+)?)(?![\w/\\@]|n?['\u2019]t\b)"
)
_ENGLISH = re.compile(
    r"\b(?:the|this|that|is|are|was|has|of|you|my|and|with|which|what)\b", re.IGNORECASE
)
# Without the words that Dutch, German, Danish, Polish or Romanian sentences hold too.
_PLAINLY_ENGLISH = re.compile(
    r"\b(?:the|this|that|you|your|and|with|which|what|not|it|from|i['\u2019]?m|don['\u2019]?t)\b",
    re.IGNORECASE,
)
_CALENDAR: Final = frozenset((*ENGLISH.months, *ENGLISH.weekdays))
_SPEAKERS: Final = frozenset(
    ("user", "users", "assistant", "chatbot", "ai", "agent", "agents", "system", "tool", "tools",
     "human", "humans")
)  # fmt: skip
# Words of notes, whatever was said, in which they word it anew; chosen by hand.
_OF_NOTES: Final = (
    "accept access accord account address adjust admire adopt advise aim alert analyse analyze "
    "apply appreciate approve archive assign assist attach attempt automate avoid backup "
    "benchmark brief bug cache client code command commit communicate compare complain concise "
    "configure confirm connect connection convert copy correct customer daily data database debug "
    "default define delete deliver demonstrate deploy deployment designate determine developer "
    "device diagnose disable discover discuss dislike document documentation download edit email "
    "employee enable encounter encourage engineer enjoy ensure error establish evaluate everyone "
    "examine exclude execute export extend fail failure favorite favourite feature fetch file fix "
    "format generate guide handle identify implement import indicate initialize inquire inspect "
    "install instruct integrate intend introduce investigate invite invoice key launch limit load "
    "locate log loves maintain measure merge message migrate migration modify monitor monthly "
    "motivate multiple nightly note notify obtain operate optimize organize password payment "
    "perform plans possess prefer preference prevent previous previously printer proceed produce "
    "propose publish purchase query receive record recover reduce refactor refer reject release "
    "relocate remind remove rename repair replace reply request require requirement reside "
    "resolve respond response restart restore restrict retrieve retry return review revoke rotate "
    "schedule search secret select server service shut skip solution solve split staging store "
    "submit successful successfully suffer switch synchronize test training transfer troubleshoot "
    "unable update upgrade upload user validate verify version weekly workflow yearly"
)


def is_english(text: str) -> bool:
    """Say whether a text holds a word that is in most English sentences."""
    return _ENGLISH.search(text) is not None


def is_plainly_english(text: str) -> bool:
    """Say whether a text holds a word that is in many English sentences and in few others."""
    return _PLAINLY_ENGLISH.search(text) is not None


def names_in(statement: str) -> frozenset[str]:
    """Return the capitalised words inside a statement in lower case, but for months and weekdays.

    Its first word has a capital whatever it is: see `first_name_in`.
    """
    found = (name.lower() for name in _NAMED.findall(statement))
    return frozenset(name for name in found if name not in _CALENDAR | ENGLISH.stop_words)


def first_name_in(statement: str) -> str:
    """Return the first word of an English statement in lower case where it may be a name, else "".

    It is none if it has no capital or is plain: `Hope`, `Will` and `June` are not told from the
    words.
    """
    found = _FIRST.match(statement)
    if found is None or not found[1][0].isupper():
        return ""
    return "" if all(map(is_plain, words_of(found[1]))) else found[1].lower()


def is_plain(word: str) -> bool:
    """Say whether a word, as `words_of` gives it, is said of anything, and tells nothing apart.

    Months and weekdays are such words, those who speak, and what notes are worded in.
    """
    if word in _CALENDAR | _SPEAKERS:
        return True
    term = term_of_word(word)
    return term is None or term in common_terms() or term in _terms_of_notes()


@cache
def _terms_of_notes() -> frozenset[int | None]:
    return frozenset(map(term_of_word, words_of(_OF_NOTES)))
