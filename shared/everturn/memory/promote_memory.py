"""Make an Agent Skill of a proven pattern, and remember that it was made."""

from dataclasses import dataclass, replace

from everturn.errors import ConflictError
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.agent_skill import AgentSkill, agent_skill
from everturn.memory.model.memory import PROVEN_COVERAGE, Memory, Promotion
from everturn.memory.model.source import Source
from everturn.memory.views import MemoryView, current_rid, no_such_memory, view_of
from everturn.memory.writer import MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class Promoted:
    """The skill, and the memory that knows of it."""

    skill: AgentSkill
    view: MemoryView


def promote(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    cache: MemoryCache,
    rid: str,
) -> Promoted:
    """Return the skill that a pattern is; again later it is made of the pattern as it is then.

    Raises:
        NotFoundError: there is no such memory.
        ConflictError: it is no pattern, or fewer than three sources speak for it.
        CorruptRecordError, UnavailableError: it cannot be read or written.
    """
    loaded = load_rows(store=store, derived=derived, scope=scope, clock=clock, cache=cache)
    now_ns = clock.now_ns()

    def promote_it(memory: Memory | None) -> Memory:
        if memory is None or memory.is_forgotten:
            raise no_such_memory()
        name = _skill(memory).name
        if memory.promoted is not None and memory.promoted.name == name:
            return memory
        return replace(memory, promoted=Promotion(name, now_ns))

    writer = MemoryWriter(store, clock, entropy, scope)
    changed = writer.change(current_rid(rid, loaded), promote_it, doing="promote").memory
    if changed is None:
        raise no_such_memory()
    return Promoted(_skill(changed), view_of(changed, loaded))


def _skill(memory: Memory) -> AgentSkill:
    if memory.spec is None or not memory.is_proven:
        raise ConflictError(
            f"only a pattern of several sources is promoted least={PROVEN_COVERAGE} "
            f"sources={memory.count}",
            field="rid",
        )
    sources = [line for line in map(_source_line, memory.sources) if line]
    return agent_skill(memory.spec, rid=memory.rid, sources=sources, coverage=memory.count)


def _source_line(source: Source) -> str:
    if source.conversation_id is None:
        return ""
    if source.first_turn is None:
        return f"conversation {source.conversation_id}"
    return f"conversation {source.conversation_id}, turns {source.first_turn} to {source.last_turn}"
