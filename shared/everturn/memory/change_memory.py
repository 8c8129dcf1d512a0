"""Change, forget or promote one memory.

A change corrects a memory, pins it, sets its importance, or records how following it went.

Forgetting removes the text from the record and from the index. The id stays, without text, so that
reading the same transcript again does not restore the memory. A user who remembers it again does.

Promoting makes an Agent Skill of a proven pattern, and records in the memory that it was made.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from everturn.errors import ConflictError, InvalidRequestError
from everturn.memory.index.drop_memories import drop_memories
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.agent_skill import AgentSkill, agent_skill
from everturn.memory.model.draft import (
    MemoryDraft,
    SourceDraft,
    checked_importance,
    checked_valid_from,
    new_memory,
    new_source,
)
from everturn.memory.model.memory import PROVEN_COVERAGE, Memory, Promotion
from everturn.memory.model.source import Outcome, OutcomeStatus, Source
from everturn.memory.model.supersession import Replaces
from everturn.memory.views import MemoryView, current_rid, no_such_memory, view_of
from everturn.memory.writer import MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class MemoryPatch:
    """What is to change; None for what stays. A statement or a spec corrects what was said."""

    statement: str | None = None
    spec: JsonValue = None
    pinned: bool | None = None
    importance: int | None = None
    valid_from_ns: int | None = None

    @property
    def is_correction(self) -> bool:
        """Whether something else is said."""
        return self.statement is not None or self.spec is not None


@dataclass(frozen=True, slots=True)
class ChangedMemory:
    """The memory as it is now, and the id of the one in whose place it came."""

    view: MemoryView
    superseded: str | None = None


def change_memory(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    cache: MemoryCache,
    rid: str,
    patch: MemoryPatch,
    source: SourceDraft,
) -> ChangedMemory:
    """Change the memory at an id, or its successor where it was replaced.

    What corrects a memory is a memory of its own, which says in whose place it came: one write, so
    that nothing is ever half corrected.

    Raises:
        NotFoundError: there is none, or it was forgotten.
        InvalidRequestError: a field is wrong.
        CorruptRecordError: what is stored cannot be read.
        UnavailableError: no clear answer within ten seconds; send the same request again.
    """
    loaded = load_rows(store=store, derived=derived, scope=scope, clock=clock, cache=cache)
    current = current_rid(rid, loaded)
    writer = MemoryWriter(store, clock, entropy, scope)
    if not patch.is_correction:
        memory = _changed(writer, current, lambda memory: _patched(memory, patch))
        view, since = view_of(memory, loaded), patch.valid_from_ns
        return ChangedMemory(view if since is None else replace(view, valid_from_ns=since))
    old = _changed(writer, current, lambda memory: memory)
    new = _corrected(old, patch)
    said = new_source(source, new, now_ns=max(clock.now_ns(), old.last_seen_ns + 1))
    if new.rid == old.rid:
        memory = _changed(writer, old.rid, lambda memory: _reworded(memory, new, said, patch))
        return ChangedMemory(view_of(memory, loaded))
    since = said.at_ns if patch.valid_from_ns is None else patch.valid_from_ns
    edge = Replaces(old.rid, said.at_ns, since)

    def come_in_its_place(memory: Memory | None) -> Memory:
        if memory is not None and source.key_ref in memory.keys:
            # The same request sent again: what was said since is newer.
            return memory
        if memory is None or memory.is_forgotten:
            known = memory.replaces if memory else ()
            return replace(new, replaces=_with_edge(known, edge)).with_source(said)
        weight = MemoryPatch(pinned=patch.pinned, importance=patch.importance)
        again = _patched(memory.reinforced(new, said), weight)
        return replace(again, replaces=_with_edge(memory.replaces, edge))

    changed = writer.change(new.rid, come_in_its_place, doing="correct")
    if changed.memory is None or changed.memory.is_forgotten:
        raise no_such_memory()
    if edge not in changed.memory.replaces:
        return ChangedMemory(view_of(changed.memory, loaded))
    return ChangedMemory(MemoryView(changed.memory, since), old.rid)


def record_outcome(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    cache: MemoryCache,
    rid: str,
    status: OutcomeStatus,
    source: SourceDraft,
) -> ChangedMemory:
    """Note how following a pattern went; the last word of each source counts.

    Raises:
        NotFoundError: there is no such memory.
        InvalidRequestError: it is no pattern, or the source is none.
        CorruptRecordError, UnavailableError: as `change_memory`.
    """
    loaded = load_rows(store=store, derived=derived, scope=scope, clock=clock, cache=cache)
    now_ns = clock.now_ns()

    def note(memory: Memory) -> Memory:
        if memory.kind != "pattern":
            raise InvalidRequestError("only a pattern has outcomes", field="rid")
        said = new_source(source, memory, now_ns=now_ns)
        return memory.with_outcome(Outcome(said.ref, status, said.at_ns))

    writer = MemoryWriter(store, clock, entropy, scope)
    memory = _changed(writer, current_rid(rid, loaded), note)
    return ChangedMemory(view_of(memory, loaded))


def _changed(writer: MemoryWriter, rid: str, change: Callable[[Memory], Memory]) -> Memory:
    """Apply a change to a memory that must be there."""

    def change_live(memory: Memory | None) -> Memory:
        if memory is None or memory.is_forgotten:
            raise no_such_memory()
        return change(memory)

    changed = writer.change(rid, change_live, doing="change").memory
    if changed is None:
        raise no_such_memory()
    return changed


def _patched(memory: Memory, patch: MemoryPatch) -> Memory:
    importance = memory.importance if patch.importance is None else patch.importance
    weighed = replace(
        memory,
        pinned=memory.pinned if patch.pinned is None else patch.pinned,
        importance=checked_importance(importance),
    )
    since = checked_valid_from(patch.valid_from_ns)
    return weighed if since is None else _moved(weighed, since)


def _moved(memory: Memory, since_ns: int) -> Memory:
    """Return the memory holding from another time on, and what it replaced until then."""
    edges = memory.replaces
    moved = (*edges[:-1], edges[-1]._replace(from_ns=since_ns)) if edges else ()
    return replace(memory, valid_from_ns=since_ns, replaces=moved)


def _corrected(old: Memory, patch: MemoryPatch) -> Memory:
    return new_memory(
        MemoryDraft(
            old.kind,
            patch.statement,
            patch.spec,
            subject=old.subject,
            hard=old.hard,
            importance=old.importance if patch.importance is None else patch.importance,
            valid_from_ns=patch.valid_from_ns,
            pinned=old.pinned if patch.pinned is None else patch.pinned,
            provenance=old.provenance,
        )
    )


def _reworded(memory: Memory, new: Memory, said: Source, patch: MemoryPatch) -> Memory:
    """Return the memory in other words that are the same, or with another spec of its name.

    Such a spec is a word of a source like any other: what is older does not undo it later.
    """
    corrected = replace(memory, statement=new.statement)
    if new.spec is not None:
        corrected = memory.reinforced(new, said)
    return _patched(corrected, patch)


def _with_edge(known: tuple[Replaces, ...], edge: Replaces) -> tuple[Replaces, ...]:
    return known if edge in known else (*known, edge)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many memories went; `complete` says that the index has nothing of them either.

    None went where one that was forgotten before had something left in the index until now.
    """

    memories: int
    complete: bool


def forget(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    rid: str,
) -> Forgotten:
    """Forget the memory at an id, exactly: what came in its place, or before it, stays.

    Two requests, and some four for the index. Where that was not complete, forget it again.

    Raises:
        NotFoundError: there is none, or it was forgotten before and nothing is left.
        AccessDeniedError: the store refuses for good.
        CorruptRecordError: what is there cannot be read; it is left as it is.
        UnavailableError: no clear answer within ten seconds; forget it again.
    """
    now_ns = clock.now_ns()

    def forget_it(memory: Memory | None) -> Memory:
        if memory is None:
            raise no_such_memory()
        return memory if memory.is_forgotten else memory.forgotten(now_ns)

    writer = MemoryWriter(store, clock, entropy, scope)
    is_mine = writer.change(rid, forget_it, doing="forget").written
    dropped, complete = drop_memories([rid], derived=derived, scope=scope)
    if complete and not is_mine and not dropped:
        raise no_such_memory()
    return Forgotten(int(is_mine), complete)


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
