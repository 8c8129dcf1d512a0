"""Take back what a conversation said in memories, when it was deleted or a turn of it taken back.

Which memories have it as a source is in the rows of the index; the record decides. Whoever writes a
source does so first and then looks whether its conversation still is there: one of the two sees the
other. A memory that has no other source becomes a small record that says so, which keeps a write
from landing that was sent long before; whoever looks again later removes it. What the index keeps
of a memory goes before its record changes and after it: before, because a crash must not leave what
no record leads to; after, because somebody may have read the record in between.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from everturn.errors import CorruptRecordError, StoreError, UnavailableError
from everturn.memory.index.drop_memories import drop_memories
from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import (
    READERS,
    MemoryCache,
    MemoryRecords,
    StoredMemory,
    Unreadable,
)
from everturn.memory.model.identity import source_ref
from everturn.memory.model.memory import Memory
from everturn.memory.model.retraction import without_source, without_turn
from everturn.memory.writer import MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope

_DOING: Final = "erase-source"
# A write whose answer nobody waits for any more may still be on its way, for seconds, or minutes in
# bad times. An hour leaves room for clocks that differ as well.
_LANDED_NS: Final = 3_600 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class ErasedSource:
    """From how many memories something was taken back, and how many had no other source."""

    sources: int = 0
    memories: int = 0
    complete: bool = True


@dataclass(slots=True)
class SourceCascade:
    """One conversation's way out of all memories of its scope: found first, then taken back.

    With `number` it is one turn of it alone. After a failure both are done again.
    """

    store: ObjectStore
    derived: ObjectStore
    clock: Clock
    entropy: Entropy
    scope: Scope
    conversation_id: str
    number: int | None = None
    cache: MemoryCache = field(default_factory=MemoryCache)
    _left: dict[str, str] = field(default_factory=dict)
    """Etags of those that are to be looked at, by id."""
    _pending: int = 0
    _cut: list[Memory | None] = field(default_factory=list)
    """What each is now from which something was taken back."""
    _reworded: set[str] = field(default_factory=set)
    """Ids of those that say something else now, or nothing."""

    @property
    def remaining(self) -> int:
        """How many memories are known to be left, or were not looked at."""
        return len(self._left) + self._pending

    def erased(self, *, complete: bool = True) -> ErasedSource:
        """Return what went so far."""
        gone = sum(memory is not None and memory.is_gone for memory in self._cut)
        return ErasedSource(sources=len(self._cut), memories=gone, complete=complete)

    def find(self) -> None:
        """Look which memories have the conversation as a source: one LIST where there are none.

        Raises:
            AccessDeniedError, UnavailableError: the store does not list or read.
        """
        loaded = load_rows(
            store=self.store,
            derived=self.derived,
            scope=self.scope,
            clock=self.clock,
            cache=self.cache,
        )
        ref = self._ref
        self._left = {rid: row.etag for rid, row in loaded.rows.items() if ref in row.sources}
        self._pending = loaded.pending

    def cut(self, patience: Patience) -> None:
        """Take it back from all that were found.

        Raises:
            AccessDeniedError: the store refuses for good.
            StoreError, UnavailableError: something may be left: find and cut again.
        """
        if self._left:
            self._cut_all(patience)
        self._drop(self._reworded)
        if self.remaining:
            raise UnavailableError(f"some memories were not looked at pending={self.remaining}")

    @property
    def _ref(self) -> str:
        return source_ref("conversation", self.conversation_id)

    def _cut_all(self, patience: Patience) -> None:
        with ThreadPoolExecutor(READERS) as executor:
            records = MemoryRecords(self.store, self.scope, self.cache, executor)
            found = records.read(self._left)
            known = {rid: one for rid, one in found.items() if isinstance(one, StoredMemory)}
            self._drop(rid for rid, one in known.items() if self._says_else(one.memory))
            for rid in found.keys() - known.keys():
                one = found[rid]
                if not (isinstance(one, Unreadable) and one.refused):
                    del self._left[rid]
            # As long as one memory is refused, the others may go.
            list(executor.map(lambda rid: self._cut_one(rid, known[rid], patience.beside()), known))

    def _cut_one(self, rid: str, known: StoredMemory, patience: Patience) -> None:
        before: list[Memory] = []

        def cut(memory: Memory | None) -> Memory | None:
            left = None if memory is None else self._left_of(memory)
            if memory is not None and left != memory:
                before.append(memory)
            return left

        writer = MemoryWriter(self.store, self.clock, self.entropy, self.scope)
        try:
            changed = writer.change(rid, cut, doing=_DOING, patience=patience, known=known)
        except CorruptRecordError:
            # Another program wrote it meanwhile. It stays, as everywhere; lists count it.
            changed = None
        if changed is not None and changed.written and not before[-1].is_gone:
            self._cut.append(changed.memory)
        if any(self._says_else(memory) for memory in before):
            self._reworded.add(rid)
        self._left.pop(rid, None)

    def _left_of(self, memory: Memory) -> Memory | None:
        """Return what is to be there instead; None for nothing."""
        ref, now_ns = self._ref, self.clock.now_ns()
        if memory.gone_ns is not None:
            has_landed = memory.gone_ns + _LANDED_NS <= now_ns
            return None if has_landed and ref in memory.all_refs else memory
        if self.number is None:
            left = without_source(memory, ref)
        else:
            left = without_turn(memory, ref, self.number)
        return memory.gone(now_ns, [ref]) if left is None else left

    def _says_else(self, memory: Memory) -> bool:
        """Say whether the index may hold what is not said any more, be it from before a crash."""
        left = self._left_of(memory)
        return memory.is_gone or left is None or left.text != memory.text

    def _drop(self, rids: Iterable[str]) -> None:
        _, complete = drop_memories(set(rids), derived=self.derived, scope=self.scope)
        if not complete:
            raise UnavailableError("the index of memories does not answer")


def erase_source(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    number: int | None = None,
    patience: Patience | None = None,
    memories: MemoryCache | None = None,
) -> ErasedSource:
    """Take back all that a conversation said in memories, or what one turn of it said.

    To be called after the conversation was deleted or the turn taken back, and again where it is
    not complete.

    Args:
        store: where memories lie.
        derived: where their index lies.
        clock: for waits, and it bounds the time.
        entropy: for waits and write ids.
        scope: whose conversation.
        conversation_id: which.
        number: which turn; None for all of it.
        patience: how long to try, if that began before.
        memories: what this process keeps of memories, if it keeps any: without, all files of the
            index are read anew.
    """
    patience = patience or Patience(clock=clock, entropy=entropy)
    cascade = SourceCascade(
        store,
        derived,
        clock,
        entropy,
        scope,
        conversation_id,
        number,
        cache=memories or MemoryCache(),
    )
    while True:
        try:
            cascade.find()
            cascade.cut(patience)
        except RETRIED as error:
            try:
                patience.wait(doing=_DOING, cause=error)
            except UnavailableError:
                return cascade.erased(complete=False)
        except StoreError:
            return cascade.erased(complete=False)
        else:
            return cascade.erased()
