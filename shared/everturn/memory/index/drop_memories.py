"""Take memories out of the files of the index: rows, and vectors of every model."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from everturn.errors import GoneError, PreconditionFailedError, StoreError, UnavailableError
from everturn.memory.index.files import buckets_of
from everturn.memory.index.row import decode_rows, encode_rows
from everturn.memory.index.vectors import without_vectors
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.keys import Scope, memory_rows_prefix, memory_vectors_prefix

# After so many writes of others in between, the file goes as a whole: it is made again.
_TRIES: Final = 3

_Without = Callable[[bytes], bytes | None]


def drop_memories(rids: Collection[str], *, derived: ObjectStore, scope: Scope) -> tuple[int, bool]:
    """Take memories out of the index; how many files held one, and whether all is gone.

    Two listings, and two requests a file.

    Args:
        rids: of which memories; whatever text they had when a file was written.
        derived: where the index lies.
        scope: whose memories.
    """
    if not rids:
        return 0, True
    gone = frozenset(rids)
    buckets = {bucket for rid in gone for bucket in buckets_of(rid)}
    places: tuple[tuple[str, _Without], ...] = (
        (memory_rows_prefix(scope), lambda body: _without_rows(body, gone)),
        (memory_vectors_prefix(scope), lambda body: without_vectors(body, gone)),
    )
    dropped, complete = 0, True
    for prefix, without in places:
        try:
            for key in _keys(derived, prefix, buckets):
                dropped += _drop(derived, key, without)
        except (StoreError, UnavailableError):
            complete = False
    return dropped, complete


def _keys(derived: ObjectStore, prefix: str, buckets: Iterable[str]) -> Iterator[str]:
    wanted = frozenset(buckets)
    for entry in list_all(derived, prefix):
        if entry.key.rpartition("/")[2] in wanted:
            yield entry.key


def _without_rows(body: bytes, rids: Collection[str]) -> bytes | None:
    rows = decode_rows(body)
    if rows is None:
        return None
    # What is left of a forgotten memory says nothing of it.
    return encode_rows(row for row in rows if row.is_forgotten or row.rid not in rids)


def _drop(derived: ObjectStore, key: str, without: _Without) -> bool:
    """Rewrite a file without what goes; one that cannot be read goes. Whether it was changed."""
    for _ in range(_TRIES):
        stored = derived.get(key)
        if not isinstance(stored, StoredObject):
            return False
        body = without(stored.body)
        if body == stored.body:
            return False
        if body is None:
            break
        try:
            derived.put(key, body, expect=stored.etag)
        except (PreconditionFailedError, GoneError):
            continue
        return True
    if derived.delete_many([key]):
        raise UnavailableError("a file of the index is not removed yet")
    return True
