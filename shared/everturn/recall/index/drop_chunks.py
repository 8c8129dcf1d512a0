"""Remove the part of a side index that holds a turn which was taken back, of every model.

It loads no numpy: a delete asks for this as well.
"""

from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import MAX_DELETED_KEYS, ObjectStore
from everturn.storage.list_keys import list_all
from everturn.values.keys import CHUNK_ROWS, Scope, chunk_of, vectors_prefix


def drop_rows(number: int, *, derived: ObjectStore, scope: Scope, conversation_id: str) -> bool:
    """Remove the chunks that hold a turn's row; whether all are gone for certain.

    One request that lists, one that deletes where there is anything. Whoever writes one at the same
    time looks at the head afterwards, and takes it away himself.
    """
    try:
        listed = list_all(derived, vectors_prefix(scope, conversation_id))
        keys = [entry.key for entry in listed if chunk_of(entry.key) == number // CHUNK_ROWS]
        starts = range(0, len(keys), MAX_DELETED_KEYS)
        left = [derived.delete_many(keys[at : at + MAX_DELETED_KEYS]) for at in starts]
    except (StoreError, UnavailableError):
        return False
    return not any(left)
