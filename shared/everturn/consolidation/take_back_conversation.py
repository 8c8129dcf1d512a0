"""Take back what a worker made of a conversation that was deleted meanwhile."""

from everturn.deletion.finish_deletion import finish_deletion
from everturn.errors import UnavailableError
from everturn.memory.retract_source import erase_source
from everturn.memory.writer import MemoryWriter
from everturn.ports.object_store import ObjectStore
from everturn.storage.swap import Patience


def take_back_conversation(
    conversation_id: str,
    *,
    writer: MemoryWriter,
    derived: ObjectStore,
    patience: Patience,
    is_tombstone: bool,
    has_written: bool,
) -> None:
    """Look behind a deletion: a call that ended half-way may have written after it.

    Args:
        conversation_id: which.
        writer: writes memories of the scope.
        derived: where indexes lie.
        patience: how long to try.
        is_tombstone: whether one stands there; else it is not known to have been deleted.
        has_written: whether this call made memories of it.

    Raises:
        UnavailableError: something may be left; do it again.
    """
    complete = True
    if is_tombstone:
        complete = finish_deletion(
            store=writer.store,
            derived=derived,
            clock=writer.clock,
            entropy=writer.entropy,
            patience=patience,
            scope=writer.scope,
            conversation_id=conversation_id,
        ).complete
    elif has_written:
        complete = erase_source(
            store=writer.store,
            derived=derived,
            clock=writer.clock,
            entropy=writer.entropy,
            scope=writer.scope,
            conversation_id=conversation_id,
            patience=patience,
        ).complete
    if not complete:
        raise UnavailableError("what a deleted conversation said is not all gone")
