"""Find the sentence of a turn that says most of a statement, and measure how much turns say.

Words are compared by stem, and weighted by how rare they are in the turns. Words for the speakers
do not count. A model that notes a text rewords a few things, and always the same ones. So words
that say the same of a person are equal: `reply` for `answer`, `lives` for `based`.

A quote is found in a text despite differences that a reader does not see. These are white space,
case, typographic quotes, joiners, and the escapes that make markup inert.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import log1p
from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.extraction.answers.date_mentions import written_dates
from everturn.extraction.answers.secret_patterns import holds_secret
from everturn.extraction.answers.transcript_turn import ShownTurn
from everturn.recall.language.terms import (
    Span,
    common_terms,
    identifiers_of,
    naming_terms_of,
    term_of_word,
    terms_of,
    words_of,
)

MAX_QUOTE_CHARS: Final = 500
"""As much as shows what was said; the whole turn is to be had by its number."""

# What values/prompt_text.py writes for the first character of markup.
_INERT: Final = {"&lt;": "<", "&#91;": "["}
_TOKEN = re.compile(r"&lt;|&#91;|\s+|.", re.DOTALL)
_TYPED = str.maketrans("\u2018\u2019\u201c\u201d\u00ab\u00bb\u2013\u2014", '\'\'""""--')
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs"})
# A model may leave out the middle, or copy the head of the line.
_ELLIPSIS = re.compile(r"\[?(?:\.{3,}|\u2026)\]?")
_LINE_HEAD = re.compile(r"^[^#\n]{0,160}#\d+(?: \d{4}-\d\d-\d\dT\d\d:\d\dZ)?: ")
_ENDS: Final = " \t\n\"'`.,;:!?\u2018\u2019\u201c\u201d\u00ab\u00bb"
# Thai and what follows it is written without spaces: every place is between two words.
_FIRST_UNSPACED: Final = 0x0E00
# A quote that stands in this many words as a part is a letter, and no quote.
_MOST_PLACES: Final = 100


class FoldedText:
    """A text as it is compared, and where each of its characters comes from."""

    def __init__(self, text: str, parts: Sequence[Span]) -> None:
        """Fold the parts of a text; a quote may not go over the border of one."""
        self._text = text
        self._folded = [_fold(text, *part) for part in parts]

    def find(self, quote: str) -> Span | None:
        """Return where a quote stands in the text: whole words, at most `MAX_QUOTE_CHARS`.

        Returns:
            None if it does not, or says nothing.
        """
        for said in _readings(quote):
            for folded, begins, ends in self._folded:
                at = _place_of(said, folded)
                if at is not None:
                    begin, end = begins[at], ends[at + len(said) - 1]
                    return begin, cut_end(self._text, begin, end)
        return None


def cut_end(text: str, begin: int, end: int) -> int:
    """Return where a quote from `begin` ends that may be no longer than `MAX_QUOTE_CHARS`."""
    if end - begin <= MAX_QUOTE_CHARS:
        return end
    words = re.search(r"\s+\S*\Z", text[begin : begin + MAX_QUOTE_CHARS + 1])
    return begin + (words.start() if words and words.start() else MAX_QUOTE_CHARS)


def _readings(quote: str) -> list[str]:
    """Return what may have been copied, most likely first; what holds no letter is nothing."""
    whole = _LINE_HEAD.sub("", quote)
    parts = sorted(_ELLIPSIS.split(whole), key=len, reverse=True)
    folded = (_fold(text, 0, len(text))[0].strip(_ENDS) for text in (whole, parts[0]))
    return [text for text in dict.fromkeys(folded) if any(map(str.isalnum, text))]


def _fold(text: str, begin: int, end: int) -> tuple[str, list[int], list[int]]:
    """Return a part of a text folded, and where each character of that begins and ends."""
    folded: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for token in _TOKEN.finditer(text, begin, end):
        for char in _folded_token(token[0]):
            folded.append(char)
            begins.append(token.start())
            ends.append(token.end())
    return "".join(folded), begins, ends


def _folded_token(read: str) -> str:
    if read.isspace():
        return " "
    if len(read) > 1:
        return _INERT[read]
    is_plain = " " <= read <= "~"
    if not is_plain and unicodedata.category(read) in _UNSEEN:
        return ""
    return read.translate(_TYPED).casefold()


def _place_of(said: str, folded: str) -> int | None:
    """Return where words stand as a whole: a part of a word is another word."""
    at = -1
    for _ in range(_MOST_PLACES):
        at = folded.find(said, at + 1)
        if at < 0:
            return None
        if not _joins(folded, at) and not _joins(folded, at + len(said)):
            return at
    return None


def _joins(text: str, at: int) -> bool:
    """Say whether an index is inside a word."""
    around = text[max(0, at - 1) : at + 1]
    return len(around) > 1 and all(map(_is_of_word, around))


def _is_of_word(char: str) -> bool:
    return (char.isalnum() or char == "_") and ord(char) < _FIRST_UNSPACED


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


_KIN: Final = (
    "prefer preference like love enjoy favourite favorite adore fan fond keen want wish",
    "dislike hate loathe detest avoid",
    "answer reply response respond explanation message output",
    "short brief concise terse succinct compact",
    "long detailed thorough extensive verbose",
    "live reside based home relocate move moved",
    "job work employ employed employer profession career company",
    "name call called named",
    "child kid son daughter children kids",
    "wife husband spouse partner married marry",
    "mother mum mom father dad parent parents",
    "buy purchase bought got acquire acquired",
    "begin start started began",
    "finish end complete completed done",
    "fix repair solve resolve resolved fixed",
    "big large huge",
    "photo picture image pic",
    "use using utilise utilize",
    "vegetarian vegan meat plant-based",
    "phone mobile telephone cell",
    "email e-mail mail",
    "delete remove removed erase",
    "important essential crucial vital",
    "tell told say said mention mentioned",
    "create make made build built",
    "deploy deployed deployment release released",
    "fail failed failure broke broken",
)


def kindred(terms: Iterable[int]) -> frozenset[int]:
    """Return terms, with one for all of the words that say the same."""
    same = _same()
    return frozenset(same.get(term, term) for term in terms)


@cache
def _same() -> Mapping[int, int]:
    known: dict[int, int] = {}
    for line in _KIN:
        terms = [term for word in words_of(line) if (term := term_of_word(word)) is not None]
        for term in terms:
            known.setdefault(term, terms[0])
    return known
