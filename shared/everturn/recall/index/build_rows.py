"""Make the rows of turns, compare them with known ones, and reuse those that did not change.

A row is a pure function of its turn and, for the vector, of the model. Its flags say how the text
is put: whether it asks, names a time, or gives a standing instruction.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Final

import numpy as np

from everturn.conversations.model.encoded_turns import file_time
from everturn.conversations.model.turn import Turn
from everturn.recall.index.turn_rows import (
    ENDS_ASKING,
    HAS_TEXT,
    NO_TIME,
    ORDERS,
    READABLE,
    SAYS_WHEN,
    TurnRows,
    join_rows,
    no_rows,
)
from everturn.recall.language.language import ENGLISH
from everturn.recall.language.terms import (
    hash_of_text,
    identifiers_of,
    matchable_text,
    terms_of_words,
    words_of,
)
from everturn.values.timestamps import NANOSECONDS

_MAX_COUNT: Final = 255
# In 1843: Go's zero time, of the year 1, is no time, and does not fit 64 bits.
_FIRST_TIME_NS: Final = -4_000_000_000 * NANOSECONDS


def make_rows(turns: Sequence[Turn | None], dimensions: int) -> TurnRows:
    """Return the rows of turns, without vectors; None stands for one that cannot be read."""
    names: dict[str, int] = {"": 0}
    drafts = [_draft(turn, names) for turn in turns]
    rows = no_rows(len(turns), dimensions)
    if drafts:
        *columns, _ = zip(*drafts, strict=True)
        for name, column in zip(_DRAFTED, columns, strict=True):
            getattr(rows, name)[:] = column
    rows.widths[:] = [len(draft[-1]) for draft in drafts]
    terms = np.fromiter(chain.from_iterable(draft[-1] for draft in drafts), np.uint32)
    each = chain.from_iterable(draft[-1].values() for draft in drafts)
    counts = np.fromiter(each, np.int64).clip(max=_MAX_COUNT).astype(np.uint8)
    return replace(rows, names=tuple(names), terms=terms, counts=counts)


_DRAFTED: Final = ("hashes", "times", "flags", "asked", "roles", "speakers", "sizes", "lengths")
_Draft = tuple[int, int, int, int, int, int, int, int, Counter[int]]


def _draft(turn: Turn | None, names: dict[str, int]) -> _Draft:
    if turn is None:
        return 0, NO_TIME, 0, 0, 0, 0, 0, 0, Counter()
    matchable = matchable_text(turn.text)
    words = words_of(matchable)
    terms = terms_of_words(words)
    return (
        hash_of_text(matchable),
        time_of(turn),
        marks_of(matchable, words),
        asked_part(matchable),
        names.setdefault(turn.role, len(names)),
        names.setdefault(speaker_of(turn), len(names)),
        _size_of(turn),
        len(terms),
        Counter([*terms, *dict.fromkeys(identifiers_of(matchable))]),
    )


def _size_of(turn: Turn) -> int:
    return len(turn.text.encode("utf-8", "surrogatepass"))


def speaker_of(turn: Turn) -> str:
    """Return who said a turn: its name, else its role."""
    name = turn.value.get("name")
    return name if isinstance(name, str) and name else turn.role


def time_of(turn: Turn) -> int:
    """Return the time of a turn in Unix nanoseconds, `NO_TIME` without a likely one."""
    time_ns = file_time(turn.ts)
    return NO_TIME if time_ns is None or time_ns < _FIRST_TIME_NS else time_ns


def is_row_of(turn: Turn | None, rows: TurnRows, at: int) -> bool:
    """Say whether a row is that of a turn as it is now."""
    if turn is None:
        return int(rows.flags[at]) == 0
    return (
        int(rows.flags[at]) & READABLE > 0
        and int(rows.hashes[at]) == hash_of_text(matchable_text(turn.text))
        and int(rows.sizes[at]) == _size_of(turn)
        and int(rows.times[at]) == time_of(turn)
        and rows.names[rows.roles[at]] == turn.role
        and rows.names[rows.speakers[at]] == speaker_of(turn)
    )


def renewed(turns: Sequence[Turn | None], rows: TurnRows) -> TurnRows:
    """Return the rows of turns, taking over each of `rows` that is one's row still; no sources.

    Args:
        turns: in order.
        rows: what was known at the same places; fewer or more.
    """
    kept = [at < len(rows) and is_row_of(turn, rows, at) for at, turn in enumerate(turns)]
    parts: list[TurnRows] = []
    for is_kept, start, stop in _runs(kept):
        made = rows.part(start, stop) if is_kept else make_rows(turns[start:stop], rows.dimensions)
        parts.append(made)
    return join_rows(parts) if parts else no_rows(0, rows.dimensions)


def _runs(kept: Sequence[bool]) -> Iterator[tuple[bool, int, int]]:
    start = 0
    for at in range(1, len(kept) + 1):
        if at == len(kept) or kept[at] != kept[start]:
            yield kept[start], start, at
            start = at


ALL_ASKED: Final = 255
"""What `asked_part` says of a text that is nothing but questions."""

# Question marks: ours, the Arabic and the Armenian one, and the wide one of Chinese and Japanese.
_ASKING: Final = ("?", "\u061f", "\u055e", "\uff1f")
_ENDS: Final = ".!?\u061f\u055e\uff1f\u3002\uff01"
_SENTENCE: Final = re.compile(rf"[^{_ENDS}]+[{_ENDS}]*")


def marks_of(matchable: str, words: Sequence[str]) -> int:
    """Return the bits of a text that can be read; `words` are those of the text."""
    marks = READABLE | (HAS_TEXT if matchable else 0)
    if _says_when(matchable, words):
        marks |= SAYS_WHEN
    if matchable.endswith(_ASKING):
        marks |= ENDS_ASKING
    return marks | (ORDERS if _orders(matchable, words) else 0)


def _says_when(matchable: str, words: Sequence[str]) -> bool:
    """Say whether a text names a time.

    To look through a text takes as long as all its terms. In ASCII a word between two borders is a
    word of `words_of`, unless an underscore clings to it.
    """
    if matchable.isascii() and "_" not in matchable:
        return any(map(_is_time_word, words))
    return ENGLISH.time_words.search(matchable) is not None


def _orders(matchable: str, words: Sequence[str]) -> bool:
    """Say whether a text wants something from now on; most have no word for it."""
    may = not (matchable.isascii() and ENGLISH.order_words.isdisjoint(words))
    return may and ENGLISH.standing_order.search(matchable) is not None


@lru_cache(maxsize=65_536)
def _is_time_word(word: str) -> bool:
    return ENGLISH.time_words.fullmatch(word) is not None


def asked_part(matchable: str) -> int:
    """Return how much of a text stands in questions, 0 to `ALL_ASKED`, by its characters."""
    if not any(mark in matchable for mark in _ASKING):
        return 0
    sentences = _SENTENCE.findall(matchable)
    total = sum(map(len, sentences))
    asked = sum(len(one) for one in sentences if one.rstrip().endswith(_ASKING))
    return round(asked / total * ALL_ASKED) if total else 0
