"""Rank the turns of an index for a request, and read those that were selected.

Ranking embeds the query, and reports what was missing. The selected turns, and those around them,
are read as they are now.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from everturn.conversations.model.turn import Turn
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.embed_rows import Embedding
from everturn.recall.index.index_cache import LoadedIndex
from everturn.recall.index.recall_request import EMBEDDER_FAILED, Hit, RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.recall.ranking.fusion import Ranking
from everturn.recall.ranking.rank_turns import query_text, rank_turns
from everturn.recall.ranking.select_hits import Picked, PickedRow, allowed_rows, pick_hits
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


TurnsOf: TypeAlias = Callable[[str, Sequence[int]], Mapping[int, Turn | None]]
"""Returns the turns of a conversation by their numbers; what cannot be had is None, or left out."""


def read_hits(ranked: RankedQuery, request: RecallRequest, turns_of: TurnsOf) -> tuple[Hit, ...]:
    """Return the hits, best first; one whose turn is another by now is left out.

    Args:
        ranked: what was picked.
        request: whether lanes are wanted.
        turns_of: reads the turns of a conversation; what it raises is raised.
    """
    turns = _read(ranked, turns_of)
    hits = (_hit(ranked, picked, turns, request) for picked in ranked.picked.rows)
    return tuple(hit for hit in hits if hit is not None)


def _read(ranked: RankedQuery, turns_of: TurnsOf) -> Mapping[int, Turn | None]:
    rows = {row for picked in ranked.picked.rows for row in (picked.row, *picked.neighbours)}
    by_owner: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in sorted(rows):
        conversation_id, number = ranked.index.place(row)
        by_owner[conversation_id].append((row, number))
    turns: dict[int, Turn | None] = {}
    for conversation_id, places in by_owner.items():
        found = turns_of(conversation_id, [number for _, number in places])
        turns |= {row: found.get(number) for row, number in places}
    return turns


def _hit(
    ranked: RankedQuery,
    picked: PickedRow,
    turns: Mapping[int, Turn | None],
    request: RecallRequest,
) -> Hit | None:
    turn = turns[picked.row]
    known = int(ranked.index.hashes[picked.row])
    if turn is None or hash_of_text(matchable_text(turn.text)) != known:
        return None
    lanes = {name: float(lane[picked.best]) for name, lane in ranked.ranking.lanes.items()}
    return Hit(
        ranked.index.place(picked.row)[0],
        turn,
        float(ranked.ranking.scores[picked.best]),
        tuple(around for row in picked.neighbours if (around := turns[row]) is not None),
        {name: value for name, value in lanes.items() if value} if request.explain else {},
    )
