"""Which sentence of turns says most of what a statement says, and how much of it turns say.

Words are compared by their stems and weigh by how rare they are in the turns; those who speak do
not count.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p
from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.extraction.answers.date_mentions import written_dates
from everturn.extraction.answers.secret_patterns import holds_secret
from everturn.extraction.answers.transcript_turn import ShownTurn
from everturn.extraction.grounding.standing_quote import MAX_QUOTE_CHARS, FoldedText, cut_end
from everturn.extraction.grounding.word_kinship import kindred
from everturn.recall.language.recalled_blocks import Span
from everturn.recall.language.terms import common_terms, identifiers_of, naming_terms_of, terms_of

HALF: Final = 0.5
"""The share of a statement's words, by weight, that a sentence has to say."""

# What names one thing says more than a word that is said of many.
_NAMING_WEIGHT: Final = 3.0
_SENTENCE = re.compile(r"(?:[^.!?\u3002\uff01\uff1f\n]|[.!?](?!\s|$))+[.!?\u3002\uff01\uff1f]*")
_SPEAKERS = re.compile(r"\b(?:the\s+)?(?:users?|assistant)\b(?:['\u2019]s)?", re.IGNORECASE)

Among = Callable[[Turn], bool]


@dataclass(frozen=True, slots=True)
class Place:
    """Words of a turn: a part of its text, letter by letter; `said` is the sentence around them.

    The quote is that sentence too, unless it is too long to be one.
    """

    turn: Turn
    quote: str
    said: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    turn: Turn
    quote: str
    terms: frozenset[int]


class Support:
    """Turns, and what in them supports statements and quotes."""

    def __init__(self, shown: Sequence[ShownTurn]) -> None:
        """Take the turns as a model has read them; each is looked at when that is needed."""
        self._shown = shown
        self._folded: dict[int, FoldedText] = {}

    def standing(self, quote: str, turns: Sequence[int], *, among: Among) -> Place | None:
        """Return where a quote stands: in one of the turns that are named, else in another one.

        Never in a sentence that holds a secret.
        """
        if not word_terms(quote):
            return None
        named = [one for one in self._shown if one.turn.index in turns]
        others = [one for one in self._shown if one.turn.index not in turns]
        for one in (*named, *others):
            span = self._fold(one).find(quote) if among(one.turn) else None
            place = _place(one, span) if span else None
            # What stands beside a secret may be it.
            if place is not None and not holds_secret(place.said):
                return place
        return None

    def closest(
        self, statement: str, *, among: Among, least: float = HALF, last: bool = False
    ) -> Place | None:
        """Return the sentence that says most of a statement, the first or the last of several.

        Returns:
            None if none says so much of it as `least`, 0 to 1.
        """
        weights = self._weights(statement)
        sentences = [one for one in self._sentences if among(one.turn)]
        best, share = None, least
        for one in reversed(sentences) if last else sentences:
            said = _share(weights, one.terms)
            if said > share or (best is None and said == share):
                best, share = one, said
        return None if best is None else Place(best.turn, best.quote, best.quote)

    def share(self, statement: str, texts: Iterable[str]) -> float:
        """Return how much of a statement texts say together, 0 to 1."""
        terms = frozenset().union(*map(word_terms, texts))
        return _share(self._weights(statement), terms)

    def _fold(self, one: ShownTurn) -> FoldedText:
        index = one.turn.index
        if index not in self._folded:
            self._folded[index] = FoldedText(one.turn.text, one.parts)
        return self._folded[index]

    @cached_property
    def _sentences(self) -> list[_Sentence]:
        return [sentence for one in self._shown for sentence in _sentences(one)]

    @cached_property
    def _counts(self) -> Counter[int]:
        return Counter(term for one in self._sentences for term in one.terms)

    @cached_property
    def _speakers(self) -> frozenset[int]:
        names = (one.turn.value.get("name") for one in self._shown)
        return word_terms(" ".join({name for name in names if isinstance(name, str)}))

    def _weights(self, statement: str) -> dict[int, float]:
        text = without_speakers(statement)
        naming = frozenset(naming_terms_of(text))
        # A turn says `yesterday` for a date.
        unsaid = {term for term in word_terms(_dates(text)) if not self._counts[term]}
        return {
            term: log1p(len(self._sentences) / max(1, self._counts[term]))
            * (_NAMING_WEIGHT if term in naming else 0.5 if term in common_terms() else 1)
            for term in word_terms(text) - unsaid - self._speakers
        }


def _share(weights: dict[int, float], terms: frozenset[int]) -> float:
    whole = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in terms) / whole if whole else 0


def _dates(text: str) -> str:
    return " ".join(text[date.begin : date.end] for date in written_dates(text))


def without_speakers(statement: str) -> str:
    """Return a statement without `the user` and `the assistant`, whom no turn names so."""
    return _SPEAKERS.sub(" ", statement)


def questions_of(one: ShownTurn) -> list[str]:
    """Return the sentences of a turn that ask."""
    found = (match[0] for span in one.parts for match in _SENTENCE.finditer(one.turn.text, *span))
    return [text for text in found if text.rstrip().endswith(("?", "\uff1f"))]


def word_terms(text: str) -> frozenset[int]:
    """Return what of a text is compared: its words by what they say, and its identifiers."""
    return kindred((*terms_of(text), *identifiers_of(text)))


def _place(one: ShownTurn, span: Span) -> Place:
    """Return a quote with the whole of its sentence, or of the sentences that it goes over."""
    text = one.turn.text
    begin, end = next(part for part in one.parts if part[0] <= span[0] < part[1])
    around = [
        found.span()
        for found in _SENTENCE.finditer(text, begin, end)
        if found.start() < span[1] and span[0] < found.end()
    ]
    whole = min([span[0], *(first for first, _ in around)]), max([span[1], *(e for _, e in around)])
    said, quote = text[slice(*whole)].strip(), text[slice(*span)]
    return Place(one.turn, said if len(said) <= MAX_QUOTE_CHARS else quote, said)


def _sentences(one: ShownTurn) -> Iterator[_Sentence]:
    for begin, end in one.parts:
        spans = (found.span() for found in _SENTENCE.finditer(one.turn.text, begin, end))
        for part in _short_spans(one.turn.text, spans):
            quote = one.turn.text[slice(*part)].strip()
            terms = word_terms(quote)
            if terms and not holds_secret(quote):
                yield _Sentence(one.turn, quote, terms)


def _short_spans(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans that are short enough to be quoted, parts of those that are not."""
    for begin, end in spans:
        at = begin
        while at < end:
            cut = cut_end(text, at, end)
            yield at, cut
            at = cut
