"""What ranking knows of a language: words that say nothing, words of time, forms of questions.

Words of other languages are matched as they stand; a language more is one table more.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from everturn.recall.language.english_words import COMMON_WORDS, IRREGULAR_FORMS
from everturn.recall.language.porter_stemmer import stem


@dataclass(frozen=True, slots=True)
class Language:
    """The parts of ranking that depend on a language."""

    stop_words: frozenset[str]
    common_words: frozenset[str]
    """What is said of anything, and so tells little."""
    irregular_forms: Mapping[str, str]
    """Forms that `stem` does not know -> the word."""
    stem: Callable[[str], str]
    time_words: re.Pattern[str]
    """What a turn that says when something happened holds: one word of these, with its borders."""
    time_forms: frozenset[str]
    """The words that `time_words` matches, but for years."""
    asks_when: re.Pattern[str]
    """What a question for a time holds."""
    asks_what_you_said: re.Pattern[str]
    """What a question for the assistant's own words holds."""
    order_words: frozenset[str]
    """One of these is in every `standing_order`, whose pattern takes long to look for."""
    standing_order: re.Pattern[str]
    """What a turn that asks for something from now on, not once, holds."""
    months: tuple[str, ...]
    weekdays: tuple[str, ...]


_STOP_WORDS = (
    "a an the and or but if of to in on at by for with from as is are was were be been being am "
    "do does did doing have has had having i you he she it we they me him her us them my your his "
    "its our their this that these those what which who whom when where why how can could will "
    "would shall should may might must not no so than too very just about into over after before "
    "then there here s t re ve ll d m don didn doesn isn aren wasn weren hasn haven hadn couldn "
    "wouldn shouldn"
)

_TIME_WORDS = (
    "yesterday today tonight tomorrow ago last next since weekend weekends week weeks month months "
    "year years day days monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december recently just morning "
    "evening night"
)

ENGLISH = Language(
    stop_words=frozenset(_STOP_WORDS.split()),
    common_words=COMMON_WORDS,
    irregular_forms=IRREGULAR_FORMS,
    stem=stem,
    time_words=re.compile(rf"\b({'|'.join(_TIME_WORDS.split())}|(?:19|20)\d\d)\b", re.IGNORECASE),
    time_forms=frozenset(_TIME_WORDS.split()),
    asks_when=re.compile(
        r"\b(when|how long|(?:what|which) (?:date|day|month|year|time|week|weekend))\b",
        re.IGNORECASE,
    ),
    asks_what_you_said=re.compile(
        r"\byou\b.{0,20}\b(said|say|told|tell|suggest|recommend|mention|explain|gave|give|provide"
        r"|list|propose|advise)",
        re.IGNORECASE,
    ),
    order_words=frozenset({"always", "keep", "never", "now", "prefer", "rather", "remember"}),
    standing_order=re.compile(
        r"(?:^|[.!?,]\s+)(?:please\s+)?(?:always|never|from now on|remember (?:that|to)"
        r"|keep in mind|make sure (?:to|you) always)\b"
        r"|\bI(?:['\u2019]d| would)? (?:really |much )?(?:prefer|rather)\b",
        re.IGNORECASE,
    ),
    months=(
        "january", "february", "march", "april", "may", "june", "july", "august", "september",
        "october", "november", "december",
    ),
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
)  # fmt: skip
