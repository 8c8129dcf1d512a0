"""Forget one memory: its text goes from its record, and from the index.

The id stays, without text, so that the same transcript read once more does not bring it back; who
remembers it himself does.
"""

from dataclasses import dataclass

from everturn.memory.index.drop_memories import drop_memories
from everturn.memory.model.memory import Memory
from everturn.memory.views import no_such_memory
from everturn.memory.writer import MemoryWriter
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope


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
