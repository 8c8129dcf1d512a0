"""Whether a statement holds a word of a turn that it does not cite.

Such a word would be left in memory after that turn was taken back. A word counts that has five
letters, is not said of anything, and stands in one turn alone: what several turns say is still said
when one of them is gone. Words are compared by their stems, so who says the same in other words is
not found.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from everturn.extraction.answers.proper_names import is_plain
from everturn.extraction.grounding.word_kinship import kindred
from everturn.recall.language.terms import term_of_word, terms_of, words_of

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
