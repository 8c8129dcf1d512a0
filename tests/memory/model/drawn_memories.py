"""Memories that tests draw, as they may be stored.

With few sources or many, corrected, forgotten.
"""

from collections.abc import Sequence

from hypothesis import strategies as st

from everturn.memory.model.memory import EarlierSpec, Memory, Promotion
from everturn.memory.model.source import (
    FIRST_NS,
    LAST_NS,
    STATUSES,
    FurtherSource,
    Mention,
    Outcome,
    Source,
)
from everturn.memory.model.supersession import Replaces
from everturn.values.memory_kind import PROVENANCES
from memory.model.pattern_specs import pattern_specs
from strategies.json_values import texts

rids = st.binary(min_size=16, max_size=16).map(bytes.hex)
refs = st.binary(min_size=8, max_size=8).map(bytes.hex)
memory_times = st.integers(FIRST_NS, LAST_NS)

_said = st.just("") | refs
_turns = st.none() | st.integers(0, 2**40)
_keys = st.just("") | refs
_mentions = st.lists(
    st.builds(Mention, memory_times, _turns, _turns, texts, _said, _keys), max_size=2
).map(tuple)
_edges = st.lists(st.builds(Replaces, rids, memory_times, memory_times), max_size=2).map(tuple)

sources: st.SearchStrategy[Source] = st.builds(
    Source, refs, memory_times, st.none() | texts, _turns, _turns, texts, _said, _keys, _mentions
)
_further = st.builds(
    FurtherSource, refs, memory_times, _said, st.lists(memory_times, max_size=1).map(tuple)
)
_outcomes = st.builds(Outcome, refs, st.sampled_from(STATUSES), memory_times)
_promotions = st.none() | st.builds(Promotion, texts, memory_times)
_earlier_specs = st.builds(EarlierSpec, pattern_specs, refs, memory_times)
_shared: dict[str, st.SearchStrategy[object]] = {
    "rid": rids,
    "subject": texts,
    "hard": st.booleans(),
    "importance": st.integers(0, 10),
    "pinned": st.booleans(),
    "provenance": st.sampled_from(PROVENANCES),
    "sources": st.lists(sources, max_size=2).map(tuple),
    "more": st.lists(_further, max_size=2).map(tuple),
    "valid_from_ns": st.none() | memory_times,
    "replaces": _edges,
    "write": st.just("") | refs,
}
_statements: st.SearchStrategy[Memory] = st.builds(
    Memory,
    kind=st.sampled_from(["fact", "event", "preference", "goal", "constraint"]),
    statement=texts,
    **_shared,
)
_patterns: st.SearchStrategy[Memory] = st.builds(
    Memory,
    kind=st.just("pattern"),
    spec=pattern_specs,
    outcomes=st.lists(_outcomes, max_size=2).map(tuple),
    promoted=_promotions,
    earlier=st.lists(_earlier_specs, max_size=2).map(tuple),
    **_shared,
)

live_memories: st.SearchStrategy[Memory] = _statements | _patterns
_forgotten = st.builds(Memory.forgotten, live_memories, memory_times)
_gone = st.builds(Memory.gone, live_memories, memory_times, st.lists(refs, max_size=2))
drawn_memories: st.SearchStrategy[Memory] = live_memories | _forgotten | _gone


def all_said(sources: Sequence[Source], memory: Memory) -> Memory:
    """Return a memory that these said, one after another."""
    for source in sources:
        memory = memory.with_source(source)
    return memory
