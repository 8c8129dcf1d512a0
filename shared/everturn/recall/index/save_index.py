"""Write the chunks of a side index, and look at the head once more.

Whoever takes a turn back changes the head first and then removes the chunks that hold it. Whoever
writes one looks at the head last: one of the two sees the other, and the chunk goes. A crash in
between leaves a row of what was taken back, without its text, until a recall compares it, or the
sweep looks behind a deletion.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from everturn.conversations.read_record import StoredRecord, read_record
from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.index_files import IndexFiles
from everturn.recall.index.turn_rows import TurnRows
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class SavedChunks:
    """The numbers of chunks that are there for certain; `is_stale` where the head is another."""

    numbers: frozenset[int] = frozenset()
    is_stale: bool = False


def save_chunks(
    chunks: Mapping[int, TurnRows],
    *,
    found: StoredRecord,
    files: IndexFiles,
    data: ObjectStore,
    scope: Scope,
) -> SavedChunks:
    """Write chunks made of a head that was read, unless a turn was taken back meanwhile.

    One request a chunk, and one for the head; what is not there is made again by the next recall.
    """
    if not chunks:
        return SavedChunks()
    lost = files.write(chunks)
    id_ = found.record.head.conversation_id
    try:
        now = read_record(store=data, scope=scope, conversation_id=id_, known=found)
    except (StoreError, UnavailableError):
        # Nobody knows what happened meanwhile.
        files.remove(chunks)
        return SavedChunks()
    if now is not None and _is_same_life(found, now):
        return SavedChunks(frozenset(chunks) - lost)
    files.remove(chunks)
    return SavedChunks(is_stale=True)


def _is_same_life(found: StoredRecord, now: StoredRecord) -> bool:
    """Say whether nothing was taken back between two looks at a head.

    Another program's file does not say whether anything was before it.
    """
    is_known = now is found or bool(now.ring.text)
    return is_known and now.record.head.deleted is None and now.ring.edits == found.ring.edits
