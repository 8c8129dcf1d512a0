"""Read the turns that were picked, and those around them, as they are now."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from everturn.conversations.model.turn import Turn
from everturn.recall.index.recall_request import Hit, RecallRequest
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.recall.rank_query import RankedQuery
from everturn.recall.ranking.select_hits import PickedRow

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
