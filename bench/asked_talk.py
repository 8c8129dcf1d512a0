"""One conversation of a set, appended and indexed: ranked by the product, and by less than it."""

import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from recall_metrics import DEPTH
from recall_sets import Talk
from recalling import Recalling

from everturn.ports.embedder import Embedder
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.recall_request import MAX_BUDGET_TOKENS, RecallRequest
from everturn.recall.language.terms import identifiers_of, matchable_text, terms_of
from everturn.recall.ranking.dense_scores import cosines
from everturn.recall.ranking.lexical_scores import lexical_lane
from everturn.recall.ranking.rank_turns import query_text, rank_turns
from everturn.recall.ranking.select_hits import allowed_rows


class AskedTalk:
    """One conversation that was appended, with its index on disk and in this process."""

    def __init__(self, talk: Talk, embedder: Embedder, folder: Path, *, dense: bool) -> None:
        """Append and index; `dense` says whether the embedder's vectors are ranked by alone."""
        self.talk, self.embedder = talk, embedder
        self.recalling = Recalling(folder, talk.id, EmbedderChoice(embedder, "bench", "asked for"))
        self.recalling.append(talk.turns)
        self.recalling.index_all(talk.questions[0].text)
        self.index = self.recalling.index
        self._vectors: NDArray[np.float32] | None = None
        if dense and not embedder.semantic:
            said = [matchable_text(turn.text or "") for turn in talk.turns]
            self._vectors = embedder.embed(said, purpose="passage")
        self._dense = dense

    def rankings(self, question: str) -> Iterator[tuple[str, Iterable[int]]]:
        """Yield rows, best first, by each of the rankings that the product is compared with."""
        yield "newest first", range(len(self.index) - 1, -1, -1)
        words = matchable_text(question)
        terms = [*terms_of(words), *identifiers_of(words)]
        yield "BM25 alone", _best_first(lexical_lane(self.index, terms).own)
        if self._dense:
            yield "dense alone", _best_first(self._cosines(self.vector(question)))

    def recalled(self, question: str) -> list[int]:
        """Ask for many hits; return the numbers of the turns, best first."""
        request = RecallRequest(question, top_k=DEPTH, budget_tokens=MAX_BUDGET_TOKENS)
        return [hit.turn.index for hit in self.recalling.recall(request).hits]

    def ask_ms(self, question: str) -> float:
        """Ask as callers do, with the default bounds; return how long the answer took."""
        began_s = time.perf_counter()
        self.recalling.recall(RecallRequest(question))
        return (time.perf_counter() - began_s) * 1e3

    def rank_cpu_ms(self, question: str) -> float:
        """Rank once more, without embedding; return the CPU time."""
        request = RecallRequest(question)
        vector = self.vector(question) if self.embedder.semantic else None
        began_s = time.process_time()
        rank_turns(self.index, question, vector=vector, allowed=allowed_rows(self.index, request))
        return (time.process_time() - began_s) * 1e3

    def vector(self, question: str) -> NDArray[np.float32]:
        """Return the vector of a question, as the product asks for it."""
        vectors = self.embedder.embed([query_text(self.index, question)], purpose="query")
        return np.asarray(vectors[0])

    def _cosines(self, vector: NDArray[np.float32]) -> NDArray[np.float64]:
        if self._vectors is None:
            return cosines(self.index, vector)
        return (self._vectors @ vector).astype(np.float64)


def _best_first(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    rows = np.flatnonzero(scores)[::-1]
    return rows[np.argsort(-np.round(scores[rows], 9), kind="stable")]
