"""Change one memory: correct it, pin it, weigh it, note how following it went."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from everturn.errors import InvalidRequestError
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import MemoryCache
from everturn.memory.model.draft import (
    MemoryDraft,
    SourceDraft,
    checked_importance,
    checked_valid_from,
    new_memory,
    new_source,
)
from everturn.memory.model.memory import Memory
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
