"""Find the turns that a query asks for among those that are not consolidated yet.

What was said a moment ago is in no memory; so the turns behind the watermarks of the newest
conversations are searched, as far as there is time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.consolidation.read_watermarks import Watermarks
from everturn.errors import UnavailableError
from everturn.listing.walk_rows import ListedRow
from everturn.memory.model.retrieve_request import TURN, RetrieveRequest, Snippet, turn_uri
from everturn.prompts.search_parts import SearchParts
from everturn.prompts.turn_line import turn_line
from everturn.recall.index.load_newest import Bounds, load_newest
from everturn.recall.index.recall_request import Hit, RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.recall.rank_query import is_blank_query, rank_query, read_hits, reason_for
from everturn.recall.recall_turns import turns_of

# Of a conversation that nobody touched for so long all was consolidated; to make sure costs a
# process that has just started one GET each.
_BOUNDS: Final = Bounds(conversations=16, turns=4_096, seconds=4.0, rows=64)
# What is shown of a turn is one line (prompts/turn_line.py): that has to fit, not the whole turn.
_ANY_SIZE: Final = 2**40


@dataclass(frozen=True, slots=True)
class PendingTurns:
    """Snippets of turns, best first; how many turns are pending, and why one may be missing."""

    snippets: tuple[Snippet, ...] = ()
    count: int = 0
    filtered: int = 0
    reason: str | None = None


def list_watermarks(parts: SearchParts) -> Watermarks | None:
    """List how far consolidation is, to be called before memories are listed.

    Consolidation writes memories first and moves the watermark then: what it does between two
    listings in this order is found twice, and in the other order not at all.

    Returns:
        None where the store does not answer now: then no turns are searched.

    Raises:
        AccessDeniedError: the store does not list.
    """
    try:
        return Watermarks(store=parts.data, scope=parts.scope, cache=parts.memories)
    except UnavailableError:
        return None


def find_pending_turns(
    parts: SearchParts, request: RetrieveRequest, watermarks: Watermarks
) -> PendingTurns:
    """Search the turns behind the watermarks; none for a blank query, but counted all the same.

    Of the 64 newest conversations 16 are searched. The requests of a list of conversations, and one
    for each watermark and conversation that changed.

    Raises:
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    marks: dict[str, int] = {}

    def is_pending(row: ListedRow) -> bool:
        marks[row.row.conversation_id] = watermarks.of(row.key)
        return marks[row.row.conversation_id] < row.row.turn_count

    loader, asked = parts.turn_loader(), _recall_request(request)
    newest = load_newest(
        loader, clock=parts.clock, window=asked.window, wanted=is_pending, bounds=_BOUNDS
    )
    heads = (one.found.record.head for one in newest.loaded)
    count = sum(max(head.turn_count - marks[head.conversation_id], 0) for head in heads)
    if is_blank_query(request.query):
        return PendingTurns(count=count)
    index, embedding = newest.index(), parts.work.embedding
    ranked = rank_query(index, asked, embedding, _behind(index, marks))
    hits = read_hits(
        ranked,
        asked,
        lambda id_, numbers: turns_of(loader, newest.named(id_).found, numbers),
    )
    return PendingTurns(
        tuple(map(_snippet, hits)),
        count,
        ranked.picked.filtered,
        reason_for(parts.embedder, newest.loaded, embedding),
    )


def _recall_request(request: RetrieveRequest) -> RecallRequest:
    window, as_of_ns = request.window, request.as_of_ns
    if as_of_ns is not None and (window.until_ns is None or as_of_ns < window.until_ns):
        # What was said at that very time is known then.
        window = replace(window, until_ns=as_of_ns + 1)
    return RecallRequest(
        request.query,
        top_k=request.top_k,
        budget_tokens=_ANY_SIZE,
        min_score=request.min_score,
        window=window,
        explain=request.explain,
    )


def _behind(index: TurnIndex, marks: Mapping[str, int]) -> NDArray[np.bool_]:
    """bool[n]: turns that were not consolidated yet."""
    behind = np.zeros(len(index), bool)
    for start, stretch in zip(index.starts, index.stretches, strict=False):
        numbers = stretch.first + np.arange(len(stretch.rows))
        behind[start : start + len(numbers)] = numbers >= marks[stretch.conversation_id]
    return behind


def _snippet(hit: Hit) -> Snippet:
    place = hit.conversation_id, hit.turn.index
    said = hash_of_text(matchable_text(hit.turn.text))
    return Snippet(turn_line(hit.turn), turn_uri(*place), TURN, hit.score, hit.lanes, place, said)
