"""Find the patterns that enough sources speak for, the strongest first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from everturn.memory.index.index_cache import LoadedMemories
from everturn.memory.index.load_memories import MemoryLoader
from everturn.memory.index.rank_memories import memory_query_text, rank_memories
from everturn.memory.index.row import MemoryRow
from everturn.memory.model.memory import Memory
from everturn.prompts.search_parts import SearchParts
from everturn.recall.index.recall_request import MAX_QUERY_CHARS
from everturn.recall.rank_query import is_blank_query
from everturn.values.prompt_text import one_line
from everturn.values.token_estimate import count_tokens, tokens_of_bytes


@dataclass(frozen=True, slots=True)
class Procedure:
    """A proven pattern; `text` is its one line."""

    memory: Memory
    text: str


def find_procedures(
    parts: SearchParts,
    *,
    goal: str = "",
    budget_tokens: int = 2_000,
    loaded: LoadedMemories | None = None,
) -> tuple[Procedure, ...]:
    """Return patterns with three sources or more, those that have to do with the goal first.

    The goal counts by its first 8,192 characters. Among them, and among the others, the strongest
    come first. One too long for the budget is passed over for the next. `loaded` are the memories,
    if they were loaded for this request.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    goal = goal[:MAX_QUERY_CHARS]
    loader = parts.memory_loader()
    loaded = loader.load() if loaded is None else loaded
    rows = [row for row in loaded.rows.current() if row.is_proven]
    related = _related(loaded, goal, parts) if rows and not is_blank_query(goal) else {}
    rows.sort(key=lambda row: (-row.strength, -related.get(row.rid, 0.0), -row.salience, row.rid))
    rows.sort(key=lambda row: row.rid not in related)
    return _fitting(rows, loader, budget_tokens)


def _related(loaded: LoadedMemories, goal: str, parts: SearchParts) -> dict[str, float]:
    """Return the score of each memory that something of the goal speaks for."""
    index, embedding = loaded.index, parts.work.embedding
    vector = None
    if embedding.embedder.semantic and index.scales.any() and not embedding.failed:
        vector = embedding.vector_of(memory_query_text(index, goal))
    ranking = rank_memories(
        index, goal, vector=vector, now_ns=parts.clock.now_ns(), allowed=loaded.current
    )
    return {index.rids[at]: float(ranking.scores[at]) for at in np.flatnonzero(ranking.scores)}


def _fitting(
    rows: Sequence[MemoryRow], loader: MemoryLoader, budget_tokens: int
) -> tuple[Procedure, ...]:
    few = _small_enough(rows, budget_tokens)
    memories = loader.read({row.rid: row.etag for row in few})
    taken: list[Procedure] = []
    left = budget_tokens
    for row in few:
        memory = memories.get(row.rid)
        text = one_line(memory.text) if memory is not None else ""
        if memory is not None and (tokens := count_tokens(text)) <= left:
            taken.append(Procedure(memory, text))
            left -= tokens
    return tuple(taken)


def _small_enough(rows: Sequence[MemoryRow], budget_tokens: int) -> list[MemoryRow]:
    """Return those that may fit: of a thousand patterns few records are read."""
    few: list[MemoryRow] = []
    left = budget_tokens
    for row in rows:
        tokens = tokens_of_bytes(row.size)
        if tokens <= left:
            few.append(row)
            left -= tokens
    return few
