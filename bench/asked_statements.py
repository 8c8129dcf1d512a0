"""How well a retrieve finds the statements that answer a question, on a public set.

Every statement is remembered by the product, with its turns as the source, and every question asked
by its own retrieve. A statement is found for each turn that it was taken from: R@8 is the share of
the turns that answer a question which the first eight statements were taken from. Beside it, over
the same statements: the newest first; BM25 alone (Robertson and Zaragoza, 2009, k1 1.2, b .75) of
the whole question, stemmed; the plain cosine alone, with a model; and what all statements together
have.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log1p
from statistics import fmean
from typing import Final

import numpy as np
from measuring import Row
from metered_store import MeteredStore
from retrieving import Retrieving
from statement_sets import AskedStatements

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.memory.model.retrieve_request import RetrieveRequest
from everturn.ports.embedder import Embedder
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.language.terms import matchable_text, terms_of
from everturn.recall.ranking.dense_scores import cosines

OVERALL, PRODUCT, BM25, NEWEST = "overall", "retrieve", "BM25 alone", "newest first"
CEILING: Final = "all statements"
_ADVERSARIAL: Final = "adversarial"
_CUTS: Final = (1, 5, 8)
_K1, _B = 1.2, 0.75
_MOST_TOKENS: Final = 100_000


@dataclass(slots=True)
class Found:
    """Metrics by ranking and kind of question."""

    by_kind: dict[tuple[str, str], list[dict[str, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def note(
        self, ranking: str, kind: str, ranked: Sequence[frozenset[str]], gold: frozenset[str]
    ) -> None:
        """Take down one ranking; what cannot be answered is no part of the whole."""
        measured = _measured(ranked, gold)
        self.by_kind[ranking, kind].append(measured)
        if kind != _ADVERSARIAL:
            self.by_kind[ranking, OVERALL].append(measured)

    def mean(self, ranking: str, kind: str = OVERALL) -> dict[str, float]:
        """Return the means over questions of a kind."""
        measured = self.by_kind[ranking, kind]
        return {name: fmean(one[name] for one in measured) for name in measured[0]}

    def rows(self, data: str, embedder: str) -> list[Row]:
        """Return one row a kind of question and ranking; all questions first."""
        kinds = sorted({kind for _, kind in self.by_kind}, key=lambda kind: (kind != OVERALL, kind))
        rankings = list(dict.fromkeys(ranking for ranking, _ in self.by_kind))
        return [
            {
                "data": data, "embedder": embedder, "ranking": ranking, "questions": kind,
                "n": len(self.by_kind[ranking, kind]), **self.mean(ranking, kind),
            }
            for kind in kinds for ranking in rankings
        ]  # fmt: skip


def _measured(ranked: Sequence[frozenset[str]], gold: frozenset[str]) -> dict[str, float]:
    """Measure a ranking of statements by the turns that they were taken from, in percent."""
    found = {
        f"R@{cut}": 100 * len(gold & frozenset().union(*ranked[:cut])) / len(gold) for cut in _CUTS
    }
    hits = [bool(turns & gold) for turns in ranked[:8]]
    found["hit@8"] = 100.0 * any(hits)
    found["MRR@8"] = 100 / (hits.index(True) + 1) if any(hits) else 0.0
    return found


class _Asked:
    """The statements about one conversation, remembered and indexed."""

    def __init__(self, asked: AskedStatements, embedder: Embedder) -> None:
        self._clock = ManualClock(asked.asked_ns)
        store = MeteredStore(MemoryStore(self._clock))
        choice = EmbedderChoice(embedder, "bench", "asked for")
        self._retrieving = Retrieving(store, self._clock, choice)
        self._turns: dict[str, frozenset[str]] = {}
        for one in asked.statements:
            memory = self._retrieving.remember(one.text, one.source, subject=one.subject)
            self._turns[memory.rid] = self._turns.get(memory.rid, frozenset()) | one.turns
        self._retrieving.index_all(asked.questions[0][0])
        # The order in which they were said.
        self._said = list(self._turns)
        self._words = _Bm25([terms_of(matchable_text(one.text)) for one in asked.statements])
        self._written = [one.turns for one in asked.statements]
        self._embedder = embedder

    def rankings(self, question: str) -> Iterator[tuple[str, list[frozenset[str]]]]:
        """Yield statements, best first, as the turns that they were taken from."""
        yield NEWEST, self._written[::-1]
        yield BM25, [self._written[at] for at in self._words.best_first(question)]
        if self._embedder.semantic:
            index = self._retrieving.index
            vector = self._embedder.embed([matchable_text(question)], purpose="query")[0]
            nearest = np.argsort(-cosines(index, vector), kind="stable")
            yield "dense alone", [self._turns[index.rids[row]] for row in nearest]
        request = RetrieveRequest(question, budget_tokens=_MOST_TOKENS)
        found = self._retrieving.retrieve(request).snippets
        yield PRODUCT, [self._turns[one.uri.rpartition("/")[2]] for one in found]


class _Bm25:
    """BM25 of statements, in plain Python."""

    def __init__(self, texts: Sequence[Sequence[int]]) -> None:
        self._counts = [Counter(terms) for terms in texts]
        self._having = Counter(term for counts in self._counts for term in counts)
        mean = fmean(map(len, texts))
        self._norms = [_K1 * (1 - _B + _B * len(terms) / mean) for terms in texts]

    def best_first(self, question: str) -> list[int]:
        """Return the statements that hold a word of a question; of equals the newest first."""
        scores = [0.0] * len(self._counts)
        for term in dict.fromkeys(terms_of(matchable_text(question))):
            having = self._having[term]
            idf = log1p((len(scores) - having + 0.5) / (having + 0.5))
            for at, (counts, norm) in enumerate(zip(self._counts, self._norms, strict=True)):
                scores[at] += idf * counts[term] * (_K1 + 1) / (counts[term] + norm)
        found = [at for at, score in enumerate(scores) if score > 0]
        return sorted(found, key=lambda at: (-round(scores[at], 9), -at))


def ask_all(sets: Sequence[AskedStatements], embedder: Embedder, *, most: int) -> Found:
    """Ask the questions of some conversations, at most so many of each."""
    found = Found()
    for asked in sets:
        remembered = _Asked(asked, embedder)
        for text, kind, gold in asked.questions[:most]:
            for ranking, ranked in remembered.rankings(text):
                found.note(ranking, kind, ranked, gold)
            found.note(CEILING, kind, [asked.turns], gold)
    return found
