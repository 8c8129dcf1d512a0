"""What in a query points at turns besides its words: a speaker, a time, a date, whose words.

Each cue is float64[n], 0 to 1.
"""

import re
from dataclasses import dataclass
from math import log
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.build_rows import ALL_ASKED
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import words_of

# These say what kind of turn it is, and are no names.
_KINDS: Final = frozenset({"", "user", "assistant", "system", "tool", "developer"})
# Beyond so many speakers a name says little, and matching them all costs more than it gives.
_MAX_NAMES: Final = 200
_POSSESSIVE: Final = r"(?:'s|\u2019s)?"
_YEARS: Final = range(1970, 2101)
_LAST_DAY, _YEAR_DIGITS = 31, 4
_BEST: Final = 3


class DatedIndex(Protocol):
    """Texts with the dates that they belong to."""

    def __len__(self) -> int:
        """Return n."""
        ...

    @property
    def dates(self) -> NDArray[np.int32]:
        """int32[4, n]: year, month, day and weekday, Monday 0; -1 without a date."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A query apart: without the names of speakers, and which speakers it names."""

    text: str
    speakers: tuple[int, ...]


def without_names(index: TurnIndex, query: str) -> Asked:
    """Take the names of speakers out of a query: they stand in turns that speak to one, not his."""
    found = np.unique(index.speakers)
    names = {int(at): index.names[at] for at in found if index.names[at].lower() not in _KINDS}
    if not names or len(names) > _MAX_NAMES:
        return Asked(query, ())
    named: list[int] = []
    whole = query
    for at, name in names.items():
        pattern = re.compile(rf"\b{re.escape(name)}{_POSSESSIVE}(?!\w)", re.IGNORECASE)
        bare = pattern.sub(" ", query)
        if bare != query:
            named.append(at)
            query = bare
    return Asked(" ".join(query.split()) or whole, tuple(named))


def speaker_cue(index: TurnIndex, asked: Asked) -> NDArray[np.float64]:
    """Turns of the one speaker that the query names."""
    if len(asked.speakers) != 1:
        return np.zeros(len(index))
    return np.asarray(index.speakers == asked.speakers[0], np.float64)


def session_cue(index: TurnIndex, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of the three best turns of each part of a session by their own words."""
    best = own / (own.max(initial=0.0) or 1.0)
    rows = np.flatnonzero(best)
    ranked = rows[np.lexsort((-best[rows], index.blocks[rows]))]
    blocks = index.blocks[ranked]
    firsts = np.searchsorted(blocks, blocks)
    top = np.arange(len(ranked)) - firsts < _BEST
    count = int(index.blocks.max(initial=0)) + 1
    return np.bincount(blocks[top], best[ranked[top]], count)[index.blocks] / _BEST


def time_cue(index: TurnIndex, query: str) -> NDArray[np.float64]:
    """Turns that name a time, where the query asks for one."""
    asks = ENGLISH.asks_when.search(query) is not None
    return index.says_when.astype(np.float64) * asks


def user_cue(index: TurnIndex, query: str) -> NDArray[np.float64]:
    """The user's own turns, unless the query asks for what the assistant said."""
    if ENGLISH.asks_what_you_said.search(query) or "user" not in index.names:
        return np.zeros(len(index))
    return _by_user(index).astype(np.float64)


def asking_cue(index: TurnIndex) -> NDArray[np.float64]:
    """The part of a turn that stands in questions, among people: what asks does not answer.

    To an assistant people say what they know while they ask.
    """
    return index.asked / ALL_ASKED * index.among_people


def order_cue(index: TurnIndex) -> NDArray[np.float64]:
    """What the user wants from now on, whatever is asked."""
    return (index.orders & _by_user(index)).astype(np.float64)


def _by_user(index: TurnIndex) -> NDArray[np.bool_]:
    if "user" not in index.names:
        return np.zeros(len(index), bool)
    return np.asarray(index.roles == index.names.index("user"))


def date_cue(index: DatedIndex, query: str) -> NDArray[np.float64]:
    """Turns of the dates that the query names, by the rarity of each part of a date."""
    found = np.zeros(len(index))
    for word in dict.fromkeys(words_of(query)):
        same = _said_in(index, word)
        if same is not None and same.any():
            found += same * log(1 + (len(index) - same.sum() + 0.5) / (same.sum() + 0.5))
    return found / (found.max(initial=0.0) or 1.0)


def _said_in(index: DatedIndex, word: str) -> NDArray[np.bool_] | None:
    """bool[n]: turns of a month, a weekday, a day of the month or a year; None for other words."""
    if word in ENGLISH.months:
        return np.asarray(index.dates[1] == ENGLISH.months.index(word) + 1)
    if word in ENGLISH.weekdays:
        return np.asarray(index.dates[3] == ENGLISH.weekdays.index(word))
    if not word.isascii() or not word.isdigit() or len(word) > _YEAR_DIGITS:
        return None
    number = int(word)
    if number in _YEARS:
        return np.asarray(index.dates[0] == number)
    return np.asarray(index.dates[2] == number) if 0 < number <= _LAST_DAY else None
