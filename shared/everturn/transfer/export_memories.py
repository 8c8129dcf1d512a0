"""The lines that an export makes of memories."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from everturn.errors import AccessDeniedError, CorruptRecordError
from everturn.memory.model.codec import parse_memory
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.transfer.export_lines import memory_line, skipped_line
from everturn.transfer.export_walk import Line, walk_objects
from everturn.values.cursors import ExportCursor
from everturn.values.keys import Scope
from everturn.values.listed_keys import rid_of_key

_Found: TypeAlias = tuple[Literal["memory", "skipped", "nothing"], str]


def export_memories(*, store: ObjectStore, scope: Scope, at: ExportCursor) -> Iterator[Line]:
    """Yield a line for each memory from a cursor on; of one whose sources are gone there is none.

    One that was forgotten has one, without text: it must not come back elsewhere.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """

    def read(key: str) -> _Found:
        rid = rid_of_key(key)
        try:
            stored = store.get(key)
            if not isinstance(stored, StoredObject):
                return "nothing", ""
            if parse_memory(stored.body, rid).is_gone:
                return "nothing", ""
            return "memory", memory_line(stored.body.decode("utf-8-sig"))
        except (CorruptRecordError, AccessDeniedError):
            return "skipped", skipped_line({"memory": rid})

    for _, here, after, (kind, text) in walk_objects("m", at, read, store=store, scope=scope):
        yield Line(kind, text, here, after)
