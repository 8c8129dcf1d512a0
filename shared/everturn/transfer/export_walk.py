"""The objects that an export goes through, and the lines that it makes of them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeVar

from everturn.ports.object_store import ObjectStore
from everturn.storage.list_keys import list_all
from everturn.values.cursors import ExportCursor
from everturn.values.keys import Scope, scope_prefix

_READERS: Final = 16

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Line:
    """One line; the cursor that begins with it and, where its object ends with it, the one behind.

    A tombstone has a line of kind "nothing": of no text, unless lines of the conversation are out;
    so has a memory whose sources are gone.
    """

    kind: Literal["conversation", "document", "memory", "skipped", "nothing"]
    text: str
    here: ExportCursor
    after: ExportCursor | None


def walk_objects(
    kind: str, at: ExportCursor, read: Callable[[str], Read], *, store: ObjectStore, scope: Scope
) -> Iterator[tuple[str, ExportCursor, ExportCursor, Read]]:
    """Yield key, cursors before and behind it, and what `read` makes of it, in order of the keys.

    So many are read at once as a GET waits for S3, and no more than the caller asks for.
    """
    prefix = scope_prefix(kind, scope)
    here = at if at.kind == kind else ExportCursor(kind)
    listed = list_all(store, prefix, start_after=prefix + here.name if here.name else "")
    keys = (entry.key for entry in listed if entry.key.endswith(".json"))
    with ThreadPoolExecutor(_READERS) as readers:
        while wave := list(islice(keys, _READERS)):
            for key, found in zip(wave, readers.map(read, wave), strict=True):
                after = _behind(key, kind, prefix, here)
                yield key, here, after, found
                here = after


def _behind(key: str, kind: str, prefix: str, here: ExportCursor) -> ExportCursor:
    # Another program's name may be no text at all: then what follows is gone on with from before.
    return ExportCursor(kind, key.removeprefix(prefix)) if key.isascii() else here
