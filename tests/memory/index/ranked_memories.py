"""Rows and indexes of memories for tests, made without a store or a model."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryColumns, MemoryIndex
from everturn.memory.index.rank_memories import rank_memories
from everturn.memory.index.row import MemoryRow, row_of
from everturn.memory.index.vectors import StoredVector
from everturn.memory.model.draft import MemoryDraft, SourceDraft, new_memory, new_source
from everturn.recall.index.turn_rows import quantise
from everturn.recall.ranking.fusion import Ranking
from memory.model.memories import DAY_NS, START_NS
from scenarios.recalled_turns import units

HOUR_NS = 3_600 * 1_000_000_000
NOW_NS = START_NS + 100 * DAY_NS
FILLER = [f"the meeting of day {at} was about lunch and the weather" for at in range(40)]

_WORDS = st.sampled_from(
    ["port", "8080", "Ann's cat", "src/a.py", "北京", "Dana", "the", "May", "yesterday", "x"]
)
_STATEMENTS = st.lists(_WORDS, min_size=1, max_size=6).map(" ".join).filter(lambda t: t != "the")


def said(
    statement: str,
    *,
    at_ns: int = START_NS,
    by: str | None = None,
    kind: str = "fact",
    subject: str | None = None,
    importance: int | None = None,
    pinned: bool = False,
    valid_from_ns: int | None = None,
) -> MemoryRow:
    """Return the row of what was said once; by a conversation, else by nobody in particular."""
    draft = MemoryDraft(
        kind,
        statement,
        subject=subject,
        importance=importance,
        valid_from_ns=valid_from_ns,
        pinned=pinned,
    )
    memory = new_memory(draft)
    source = new_source(SourceDraft(by), memory, now_ns=at_ns)
    return row_of(memory.with_source(source), "etag")


def hours(statements: Sequence[str], *, by: str | None = None) -> list[MemoryRow]:
    """Return what was said an hour after one another."""
    return [said(text, at_ns=START_NS + at * HOUR_NS, by=by) for at, text in enumerate(statements)]


def stored(
    rows: Sequence[MemoryRow], vectors: NDArray[np.float32] | None
) -> tuple[dict[int, StoredVector], int]:
    """Return vectors by the hash of the text, as they are stored, and their length."""
    if vectors is None:
        return {}, 0
    scales, values = quantise(vectors)
    found = {
        row.text_hash: StoredVector(float(scale), value.tobytes())
        for row, scale, value in zip(rows, scales, values, strict=True)
    }
    return found, vectors.shape[1]


def index_of(
    rows: Sequence[MemoryRow],
    *,
    vectors: NDArray[np.float32] | None = None,
    size: int = 1_000,
) -> MemoryIndex:
    """Return an index in buckets of so many, with a unit vector for each row if given."""
    known, dimensions = stored(rows, vectors)
    starts = range(0, len(rows), size)
    return MemoryIndex(
        [MemoryColumns.of(rows[start : start + size], known, dimensions) for start in starts]
    )


def ranked(
    rows: list[MemoryRow],
    query: str,
    *,
    vectors: NDArray[np.float32] | None = None,
    allowed: NDArray[np.bool_] | None = None,
    size: int = 1_000,
) -> Ranking:
    """Rank rows in buckets of so many, with a unit vector for each and for the query if given."""
    index = index_of(rows, vectors=vectors, size=size)
    vector = None if vectors is None else units(query, 1, vectors.shape[1])[0]
    return rank_memories(index, query, vector=vector, now_ns=NOW_NS, allowed=allowed)


def best(rows: list[MemoryRow], query: str) -> int:
    """Which row comes first."""
    return int(ranked(rows, query).order()[0])


@st.composite
def memory_rows(draw: st.DrawFn, *, max_size: int = 12) -> list[MemoryRow]:
    """Draw rows of different memories."""
    texts = draw(st.lists(_STATEMENTS, max_size=max_size, unique_by=str.casefold))
    rows = [
        said(
            text,
            at_ns=draw(st.integers(0, 40)) * HOUR_NS + START_NS,
            by=draw(st.sampled_from([None, "a", "b"])),
            kind=draw(st.sampled_from(["fact", "event", "goal"])),
            importance=draw(st.integers(0, 10)),
            pinned=draw(st.booleans()),
            valid_from_ns=draw(st.sampled_from([None, START_NS])),
        )
        for text in texts
    ]
    return list({row.rid: row for row in rows}.values())
