"""Turns, rows and indexes of tests, made without a store or a model."""

import hashlib
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from everturn.conversations.model.turn import Turn, readable_turn
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.turn_index import Stretch, TurnIndex
from everturn.recall.index.turn_rows import TurnRows
from everturn.values.go_json import JsonObject
from everturn.values.timestamps import NANOSECONDS, format_time

START_NS = 1_767_225_600 * NANOSECONDS
MINUTE_NS = 60 * NANOSECONDS

_WORDS = st.sampled_from(["port", "8080", "Ann's cat", "src/a.py", "北京", "the", "", "\ud800"])
_TEXTS = st.lists(_WORDS, max_size=6).map(" ".join)
_ROLES = st.sampled_from(["user", "assistant", "tool", "Ann"])
_TIMES = st.one_of(st.none(), st.integers(0, 4_000_000_000).map(lambda seconds: seconds * 10**9))
_NAMES = st.one_of(st.none(), st.sampled_from(["Ann", "Bob", "assistant"]))


def turn(
    number: int,
    text: str,
    *,
    role: str = "user",
    time_ns: int | None = None,
    name: str | None = None,
) -> Turn:
    """Return a turn as it is read; without a time by default."""
    value: JsonObject = {"role": role, "text": text}
    if time_ns is not None:
        value["ts"] = format_time(time_ns)
    if name is not None:
        value["name"] = name
    found = readable_turn(number, value)
    assert found is not None
    return found


def minutes(texts: Sequence[str | None], *, role: str = "user") -> list[Turn | None]:
    """Return turns a minute apart; None stays one that cannot be read."""
    return [
        None if text is None else turn(at, text, role=role, time_ns=START_NS + at * MINUTE_NS)
        for at, text in enumerate(texts)
    ]


def index_of(
    turns: Sequence[Turn | None], *, vectors: NDArray[np.float32] | None = None, widen: bool = False
) -> TurnIndex:
    """Return the index of one conversation, with a unit vector for each turn if given."""
    rows = make_rows(turns, 0 if vectors is None else vectors.shape[1])
    if vectors is not None:
        rows = rows.with_vectors(np.arange(len(turns)), vectors)
    return TurnIndex([Stretch("c", 0, rows)] if turns else [], widen=widen)


def cut(rows: TurnRows, size: int, *, conversation_id: str = "c") -> list[Stretch]:
    """Return rows as stretches of so many."""
    return [
        Stretch(conversation_id, start, rows.part(start, min(start + size, len(rows))))
        for start in range(0, len(rows), size)
    ]


def units(seed: str, count: int, dimensions: int) -> NDArray[np.float32]:
    """Return float32[count, dimensions]: rows of unit length, the same for the same seed."""
    digest = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()
    drawn = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    rows = drawn.standard_normal((count, dimensions))
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(
        np.float32
    )
    return unit


def assert_same_rows(left: TurnRows, right: TurnRows) -> None:
    """Compare all that rows say, whatever the order of their table of names."""
    for name in ("hashes", "times", "flags", "sizes", "lengths", "widths", "terms", "counts"):
        assert np.array_equal(getattr(left, name), getattr(right, name)), name
    assert np.array_equal(left.scales, right.scales)
    assert np.array_equal(left.vectors, right.vectors)
    assert named(left) == named(right)


def named(rows: TurnRows) -> list[tuple[str, str]]:
    """Return role and speaker of each row."""
    pairs = zip(rows.roles, rows.speakers, strict=True)
    return [(rows.names[role], rows.names[speaker]) for role, speaker in pairs]


@st.composite
def turns(draw: st.DrawFn, *, max_size: int = 12) -> list[Turn | None]:
    """Draw turns in order, some of which cannot be read."""
    count = draw(st.integers(0, max_size))
    return [
        None
        if draw(st.integers(0, 9)) == 0
        else turn(at, draw(_TEXTS), role=draw(_ROLES), time_ns=draw(_TIMES), name=draw(_NAMES))
        for at in range(count)
    ]
