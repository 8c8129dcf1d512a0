"""Choose the turns that a statement cites: the quoted one, and as few neighbours as it needs.

A stored statement is deleted with any turn that it cites. So the cited turns must hold all that
tells its origin. That is its identifiers, numbers, dates and names, and each word that one turn
alone says. They must also hold enough of its other words, or it is an invention. Two things may
remain after one of them was removed: a paraphrase of it, and what several turns say.

A word that one turn alone says would stay in memory after that turn was removed. Such a word has
five letters or more, is not a common one, and occurs in one turn only. What several turns say is
still said when one of them is gone. Words are compared by stem, so a paraphrase is not found.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from everturn.extraction.answers.proper_names import (
    first_name_in,
    is_english,
    is_plain,
    is_plainly_english,
    names_in,
)
from everturn.extraction.answers.transcript_text import SourceText
from everturn.extraction.answers.transcript_turn import ShownTurn, is_of_user
from everturn.extraction.grounding.sentence_support import (
    HALF,
    Place,
    Support,
    kindred,
    questions_of,
    without_speakers,
    word_terms,
)
from everturn.recall.language.terms import term_of_word, terms_of, words_of

# The share of a statement's words, by weight, that the turns which it cites have to say. With it
# 90 of 100 statements that people wrote about single turns of LoCoMo are kept, and less than 1 of
# 100 with the quote of another talk: https://arxiv.org/abs/2402.17753
_LEAST: Final = 0.25
# Of that the turn with the quote.
_LEAST_OWN: Final = 0.15
# What one turn more has to add.
_WORTH_A_TURN: Final = 0.1
# How many turns that follow each other one statement may cite.
_MAX_TURNS: Final = 3
_ASKED = re.compile(r"[?\uff1f]")
_FEW_SCRIPTS: Final = 256
# As much of a name as its kin keep: Portugal, Portuguese.
_STEM_CHARS: Final = 5


class Range(NamedTuple):
    """The first and the last turn that say something."""

    first: int
    last: int


class Grounds:
    """The turns that may be cited, and whether they say a statement."""

    def __init__(
        self, shown: Sequence[ShownTurn], support: Support, context: Sequence[ShownTurn] = ()
    ) -> None:
        """Take the turns as a model has read them, and those before, which nothing may cite."""
        self._shown = shown
        self._support = support
        self._places = {one.turn.index: place for place, one in enumerate(shown)}
        self._sources: dict[str, SourceText] = {}
        self._read = "\n".join(one.source for one in shown).casefold()
        self._elsewhere = WordsElsewhere([one.source for one in (*context, *shown)])

    def of(self, statement: str, place: Place, *, is_of_user_only: bool = False) -> Range | None:
        """Return the fewest turns around a quote that say a statement.

        Args:
            statement: what is to be said.
            place: the quote.
            is_of_user_only: whether of what others say the questions before an answer count alone.

        Returns:
            None if no three of them do.
        """
        best, most = None, -_WORTH_A_TURN
        for first, last in self._ranges(self._places[place.turn.index]):
            texts = list(self._texts(first, last, is_of_user_only=is_of_user_only))
            share = self._share(statement, texts, place, first)
            if share < max(_LEAST, most + _WORTH_A_TURN) or self._is_mixed(statement, first, last):
                continue
            if self._names_stand(statement, texts):
                best, most = self._range(first, last), share
            if most >= HALF:
                break
        return best

    def around(self, texts: Sequence[str], said: str, first: int, last: int) -> Range | None:
        """Return the turns from one to another, by their numbers, with neighbours if need be.

        Args:
            texts: what has to be said together: each one in part, and what names one thing.
            said: of this half.
            first: the first of them.
            last: the last of them.
        """
        begin, end = self._places[first], self._places[last]
        for more in range(_MAX_TURNS):
            for left in range(more + 1):
                low, high = max(0, begin - left), min(len(self._shown), end + more - left + 1)
                sources = [one.source for one in self._shown[low:high]]
                if self._support.share(said, sources) < HALF:
                    continue
                if any(self._is_mixed(text, low, high - 1) for text in texts):
                    continue
                if all(self._is_said(text, sources) for text in texts):
                    return self._range(low, high - 1)
        return None

    def _is_mixed(self, statement: str, first: int, last: int) -> bool:
        """Say whether a statement takes words from another turn than these."""
        sources = (one.source for one in self._shown[first : last + 1])
        return self._elsewhere.are_in(without_speakers(statement), sources)

    def _is_said(self, text: str, sources: Sequence[str]) -> bool:
        is_some = self._support.share(text, sources) >= _LEAST_OWN
        return is_some and self._names_stand(text, sources)

    def _names_stand(self, statement: str, sources: Sequence[str]) -> bool:
        """Say whether all that tells one thing from another in a statement stands in texts."""
        whole = "\n".join(sources)
        source = self._sources.setdefault(whole, SourceText(whole))
        if source.verbatim(statement) is None:
            return False
        said, is_name = whole.casefold(), is_english(statement)
        # Other languages have capitals for other reasons: such a word counts where it was read.
        names = (name for name in names_in(statement) if is_name or name in self._read)
        return all(_stands(name, said) for name in names) and self._first_stands(statement, said)

    def _first_stands(self, statement: str, said: str) -> bool:
        """Say whether the word that a statement begins with is in a text, or is no name."""
        name = first_name_in(statement)
        if not name or _stands(name, said) or not word_terms(name).isdisjoint(word_terms(said)):
            return True
        # Where a whole conversation tells the language, so must the statement.
        is_name = is_plainly_english(f"{statement}\n{said}") or (
            is_english(statement) and is_plainly_english(self._read)
        )
        return not (is_name or name in self._read)

    def _ranges(self, at: int) -> Iterator[tuple[int, int]]:
        for size in range(_MAX_TURNS):
            for first in range(at - size, at + 1):
                if first >= 0 and first + size < len(self._shown):
                    yield first, first + size

    def _range(self, first: int, last: int) -> Range:
        return Range(self._shown[first].turn.index, self._shown[last].turn.index)

    def _texts(self, first: int, last: int, *, is_of_user_only: bool) -> Iterator[str]:
        for at in range(first, last + 1):
            one = self._shown[at]
            if not is_of_user_only or is_of_user(one.turn):
                yield one.source
            elif at < last and is_of_user(self._shown[at + 1].turn):
                yield from questions_of(one)

    def _share(self, statement: str, texts: Iterable[str], place: Place, first: int) -> float:
        """Return how much of a statement texts say: nothing if the turn with the quote hardly does.

        An answer says what was asked. What is in another script is not compared.
        """
        if _script(without_speakers(statement)) != _script(place.said):
            return 1.0
        at = self._places[place.turn.index]
        is_answer = first < at and _ASKED.search(self._shown[at - 1].source) is not None
        own = self._support.share(statement, [self._shown[at].source])
        # The sentence with the quote says a word of it at least, and is not beside the point.
        if not is_answer and (own < _LEAST_OWN or not self._support.share(statement, [place.said])):
            return 0.0
        return self._support.share(statement, texts)


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name[:_STEM_CHARS])}", text) is not None


def _script(text: str) -> str:
    """Return the script of most letters, as Unicode names it; kana and Han are one."""
    letters = (char for char in text[:_FEW_SCRIPTS] if char.isalpha())
    scripts = Counter(unicodedata.name(char, "").split(" ")[0] for char in letters)
    script = scripts.most_common(1)[0][0] if scripts else ""
    return "CJK" if script in {"HIRAGANA", "KATAKANA"} else script


_LEAST_CHARS: Final = 5


class WordsElsewhere:
    """All turns that a model has read, and how many of them say a word."""

    def __init__(self, sources: Sequence[str]) -> None:
        """Take what each of them says; it is looked at when that is needed."""
        self._sources = sources
        self._known: dict[str, frozenset[int]] = {}

    def are_in(self, statement: str, cited: Iterable[str]) -> bool:
        """Say whether a statement has a word that one turn alone says, and none that is cited.

        Args:
            statement: what is stated, without those who speak.
            cited: what the turns say that it cites.
        """
        said = frozenset().union(*map(self._terms, cited))
        kin = kindred(said)
        return any(
            self._counts[term] == 1 and term not in said and kindred((term,)).isdisjoint(kin)
            for term in _telling_terms(statement)
        )

    @cached_property
    def _counts(self) -> Counter[int]:
        return Counter(term for source in self._sources for term in self._terms(source))

    def _terms(self, source: str) -> frozenset[int]:
        if source not in self._known:
            self._known[source] = frozenset(terms_of(source))
        return self._known[source]


def _telling_terms(statement: str) -> Iterator[int]:
    for word in words_of(statement):
        term = None if len(word) < _LEAST_CHARS or is_plain(word) else term_of_word(word)
        if term is not None:
            yield term
