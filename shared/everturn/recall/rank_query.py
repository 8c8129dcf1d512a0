"""Rank the turns of an index for a request.

The query's own vector, the ranking, what was missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.embed_rows import Embedding
from everturn.recall.index.index_cache import LoadedIndex
from everturn.recall.index.recall_request import EMBEDDER_FAILED, RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import matchable_text
from everturn.recall.ranking.fusion import Ranking
from everturn.recall.ranking.rank_turns import query_text, rank_turns
from everturn.recall.ranking.select_hits import Picked, allowed_rows, pick_hits
from everturn.values.visible_text import is_blank

BLANK_QUERY: Final = "blank_query"
"""Nothing was asked: nothing is found."""


def is_blank_query(query: str) -> bool:
    """Say whether nothing can be looked for: no visible character outside of recalled blocks."""
    return is_blank(matchable_text(query))


@dataclass(frozen=True, slots=True)
class RankedQuery:
    """What a query found in an index."""

    index: TurnIndex
    ranking: Ranking
    picked: Picked


def rank_query(
    index: TurnIndex,
    request: RecallRequest,
    embedding: Embedding,
    among: NDArray[np.bool_] | None = None,
) -> RankedQuery:
    """Rank and pick; by words alone where the embedder fails, or did in this call.

    Args:
        index: n turns.
        request: what is asked for.
        embedding: gives the query its vector.
        among: bool[n], turns that may be found; all by default.
    """
    vector = _vector(index, request.query, embedding)
    allowed = allowed_rows(index, request)
    if among is not None:
        allowed &= among
    ranking = rank_turns(index, request.query, vector=vector, allowed=allowed)
    return RankedQuery(index, ranking, pick_hits(index, ranking, request))


def _vector(index: TurnIndex, query: str, embedding: Embedding) -> NDArray[np.float32] | None:
    if embedding.failed or not embedding.embedder.semantic or not index.scales.any():
        return None
    return embedding.vector_of(query_text(index, query))


def reason_for(
    choice: EmbedderChoice, loaded: Sequence[LoadedIndex], embedding: Embedding
) -> str | None:
    """Return why an answer may lack something; None where it lacks nothing."""
    reasons = {
        EMBEDDER_FAILED: embedding.failed,
        "embedder_fell_back": choice.fell_back,
        "turns_pending": any(one.pending_turns for one in loaded),
        "vectors_pending": any(one.pending_vectors for one in loaded),
        "vectors_refused": any(one.refused for one in loaded),
        "query_not_embedded": embedding.late,
        "oldest_turns_not_searched": any(one.unsearched for one in loaded),
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
