"""Find the memories that a query asks for, and the turns that are no memories yet."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.consolidation.read_watermarks import Watermarks
from everturn.errors import UnavailableError
from everturn.memory.index.columns import held_at, in_window
from everturn.memory.index.index_cache import LoadedMemories
from everturn.memory.index.rank_memories import memory_query_text, rank_memories
from everturn.memory.model.memory import Memory
from everturn.memory.model.retrieve_request import TURN, Retrieved, RetrieveRequest, Snippet
from everturn.memory.views import shown_since
from everturn.prompts.find_pending_turns import (
    PendingTurns,
    find_pending_turns,
    list_watermarks,
)
from everturn.prompts.search_parts import SearchParts
from everturn.recall.index.recall_request import EMBEDDER_FAILED
from everturn.recall.rank_query import is_blank_query
from everturn.recall.ranking.fusion import Ranking
from everturn.values.memory_kind import KINDS
from everturn.values.prompt_text import snippet_text
from everturn.values.token_estimate import count_tokens

# Records are read so many at a time, until enough of them fit.
_READ: Final = 16
_MAX_SKIPPED: Final = 256
# Below every score of what something of the query speaks for (fusion.py has the least).
_UNRELATED: Final = 1e-4


def retrieve(
    parts: SearchParts,
    request: RetrieveRequest,
    *,
    loaded: LoadedMemories | None = None,
    watermarks: Watermarks | None = None,
) -> Retrieved:
    """Return what is remembered of a query, best first, and what was said of it since.

    A memory that was written a second ago is found: one LIST per 1,000 memories, a GET for each
    that changed and for each snippet that this process has not seen. Where turns are searched, one
    LIST of watermarks comes before all else. A blank query asks for what matters most; so does what
    is left of `top_k` once nothing else has to do with the query.

    Args:
        parts: what to search, and with what.
        request: what is asked for.
        loaded: the memories, if they were loaded for this request already.
        watermarks: with `loaded`, those that were listed before.

    Raises:
        AccessDeniedError, UnavailableError: the store does not answer for memories.
    """
    if loaded is None and _wants_turns(request):
        watermarks = list_watermarks(parts)
    with ThreadPoolExecutor(1) as executor:
        # Two searches that wait for the store, each for other objects.
        turns = executor.submit(_turns, parts, request, watermarks)
        found = _Memories(parts, request, loaded)
        pending = turns.result()
    picked = _picked(found, pending, request)
    reason = found.reason or pending.reason
    return Retrieved(
        picked.snippets,
        pending_turns=pending.count,
        filtered=min(found.filtered + pending.filtered, request.top_k - len(picked.snippets)),
        degraded=reason is not None,
        reason=reason,
        over_budget=picked.over_budget,
        embedded=parts.work.embedding.embedded,
    )


def _wants_turns(request: RetrieveRequest) -> bool:
    return not request.kinds or TURN in request.kinds


def _turns(
    parts: SearchParts, request: RetrieveRequest, watermarks: Watermarks | None
) -> PendingTurns:
    if not _wants_turns(request):
        return PendingTurns()
    unknown = PendingTurns(reason="turns_pending")
    if watermarks is None:
        return unknown
    try:
        return find_pending_turns(parts, request, watermarks)
    except UnavailableError:
        # A first list of very many conversations takes more than one request.
        return unknown


class _Memories:
    """The memories that were ranked for a request."""

    def __init__(
        self, parts: SearchParts, request: RetrieveRequest, loaded: LoadedMemories | None
    ) -> None:
        """Rank them."""
        self._request, self._loader = request, parts.memory_loader()
        self._loaded = self._loader.load() if loaded is None else loaded
        self._allowed = _allowed(self._loaded, request)
        self._ranking = self._ranked(parts)
        self._scores = self._ranking.scores
        self.filtered = 0
        self.reason = _reason(self._loaded, parts)

    def _ranked(self, parts: SearchParts) -> Ranking:
        index = self._loaded.index
        query = "" if is_blank_query(self._request.query) else self._request.query
        vector = None
        embedding = parts.work.embedding
        asked = memory_query_text(index, query)
        if asked and embedding.embedder.semantic and index.scales.any() and not embedding.failed:
            vector = embedding.vector_of(asked)
        now_ns = parts.clock.now_ns()
        return rank_memories(index, query, vector=vector, now_ns=now_ns, allowed=self._allowed)

    def snippets(self) -> Iterator[Snippet]:
        """Yield snippets, best first, each text once; records are read as they are asked for."""
        rows = self._distinct()
        while some := list(islice(rows, _READ)):
            index, known = self._loaded.index, self._loaded.rows.rows
            rids = [index.rids[row] for row in some]
            memories = self._loader.read({rid: known[rid].etag for rid in rids})
            for row, rid in zip(some, rids, strict=True):
                if rid in memories:
                    yield self._snippet(row, memories[rid])

    def has_text(self, text_hash: int) -> bool:
        """Say whether one of those that may be found says just that."""
        same = self._loaded.index.hashes == np.uint64(text_hash)
        return bool((same & self._allowed).any())

    def _distinct(self) -> Iterator[int]:
        seen: set[int] = set()
        for row in chain(self._ranking.order(), self._unrelated()):
            if self._scores[row] < self._request.min_score:
                # All that follow are below it too.
                cut = self._ranking.scores < self._request.min_score
                self.filtered = int(np.count_nonzero(cut & (self._ranking.scores > 0)))
                return
            text = int(self._loaded.index.hashes[row])
            if text not in seen:
                seen.add(text)
                yield int(row)

    def _unrelated(self) -> Iterator[np.intp]:
        """Yield what nothing of the query speaks for, what matters most first.

        Words are no meaning: without a model an answer may have none of the question's.
        """
        if self._request.related_only:
            return
        rest = self._allowed & self._loaded.index.readable & (self._ranking.scores == 0)
        scores = np.where(rest, self._ranking.lanes["salience"] * _UNRELATED, 0.0)
        self._scores = self._ranking.scores + scores
        yield from Ranking(scores, {}, self._ranking.ties).order()

    def _snippet(self, row: int, memory: Memory) -> Snippet:
        since_ns = shown_since(memory, self._loaded.rows, self._request.as_of_ns)
        lanes = {name: float(lane[row]) for name, lane in self._ranking.lanes.items()}
        return Snippet(
            snippet_text(memory.text, valid_from_ns=since_ns),
            memory.uri,
            memory.kind,
            float(self._scores[row]),
            {name: value for name, value in lanes.items() if value}
            if self._request.explain
            else {},
        )


def _allowed(loaded: LoadedMemories, request: RetrieveRequest) -> NDArray[np.bool_]:
    """bool[n]: memories of the kinds and times asked for, that hold now or did then."""
    index = loaded.index
    as_of_ns = request.as_of_ns
    allowed = loaded.current
    if as_of_ns is not None:
        allowed = held_at(index, loaded.rows.lineages, as_of_ns)
    if request.kinds:
        wanted = [at for at, kind in enumerate(KINDS) if kind in request.kinds]
        allowed = allowed & np.isin(index.kinds, wanted)
    return allowed & in_window(index, request.window)


def _reason(loaded: LoadedMemories, parts: SearchParts) -> str | None:
    reasons = {
        EMBEDDER_FAILED: parts.work.embedding.failed,
        "embedder_fell_back": parts.embedder.fell_back,
        "memories_pending": bool(loaded.rows.pending),
        "memories_unreadable": bool(loaded.rows.unreadable),
        "vectors_pending": bool(loaded.pending_vectors),
        "vectors_refused": bool(loaded.refused),
        "query_not_embedded": parts.work.embedding.late,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


@dataclass(frozen=True, slots=True)
class _Picked:
    snippets: tuple[Snippet, ...]
    over_budget: bool = False


def _picked(found: _Memories, pending: PendingTurns, request: RetrieveRequest) -> _Picked:
    """Take the best that fit; a turn after the memories that it ties with.

    Where none fits, the best comes alone.
    """
    turns = (turn for turn in pending.snippets if not found.has_text(turn.said))
    # Stable: of equal scores what comes from the first comes first.
    both = merge(found.snippets(), turns, key=lambda snippet: -snippet.score)
    taken: list[Snippet] = []
    left, first = request.budget_tokens, None
    for snippet in islice(both, request.top_k + _MAX_SKIPPED):
        first = first or snippet
        tokens = count_tokens(snippet.text)
        if tokens <= left:
            taken.append(snippet)
            left -= tokens
        if len(taken) == request.top_k:
            break
    if not taken and first is not None:
        return _Picked((first,), over_budget=True)
    return _Picked(tuple(taken))
