"""Words that say the same of a person in other words: `reply` for `answer`, `lives` for `based`.

A model that notes what somebody said words a few things anew, and always the same ones.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from everturn.recall.language.terms import term_of_word, words_of

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
