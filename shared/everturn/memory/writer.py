"""Change one memory by a pure function, under compare-and-swap, until it is done.

Every change made here is idempotent: applied again after a write without a clear answer, it changes
nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from everturn.memory.index.record_cache import StoredMemory
from everturn.memory.model.codec import encode_memory, parse_memory
from everturn.memory.model.memory import Memory
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ABSENT, Etag, ObjectStore, StoredObject
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, memory_key

_WRITE_ID_BYTES: Final = 12

Change: TypeAlias = Callable[[Memory | None], Memory | None]
"""What is to be there instead of what is; None for nothing. The same again: nothing is written."""


@dataclass(frozen=True, slots=True)
class Changed:
    """What is there now, at which version; whether this call created it, or wrote at all."""

    memory: Memory | None
    etag: str | None
    created: bool = False
    written: bool = False


@dataclass(frozen=True, slots=True)
class MemoryWriter:
    """Writes the memories of one scope."""

    store: ObjectStore
    clock: Clock
    entropy: Entropy
    scope: Scope

    def change(
        self,
        rid: str,
        change: Change,
        *,
        doing: str,
        patience: Patience | None = None,
        known: StoredMemory | None = None,
    ) -> Changed:
        """Apply a change; two requests while nobody else writes this memory, one where it is known.

        Raises:
            CorruptRecordError: what is there cannot be read; it is left as it is.
            AccessDeniedError: the store refuses for good.
            UnavailableError: no clear answer in ten seconds; send the same request again.
        """
        key, own = memory_key(self.scope, rid), self.entropy.token(_WRITE_ID_BYTES).hex()
        patience = patience or Patience(clock=self.clock, entropy=self.entropy)
        created = written = False
        while True:
            try:
                found, known = known or self._read(key, rid), None
                memory = found.memory if found else None
                mine = memory is not None and memory.write == own
                wanted = change(memory)
                if wanted == memory:
                    etag = found.etag if found else None
                    return Changed(memory, etag, created and mine, written and mine)
                patience.check(doing=doing)
                created, written = memory is None, True
                etag = self._write(key, wanted, found, own)
            except RETRIED as error:
                patience.wait(doing=doing, cause=error)
            else:
                return Changed(wanted, etag, created, written)

    def _read(self, key: str, rid: str) -> StoredMemory | None:
        stored = self.store.get(key)
        if not isinstance(stored, StoredObject):
            return None
        return StoredMemory(parse_memory(stored.body, rid), stored.etag)

    def _write(
        self, key: str, wanted: Memory | None, found: StoredMemory | None, own: str
    ) -> Etag | None:
        if wanted is not None:
            body = encode_memory(replace(wanted, write=own))
            return self.store.put(key, body, expect=Etag(found.etag) if found else ABSENT)
        if found is not None:
            self.store.delete(key, expect=Etag(found.etag))
        return None
