"""Counts up in one object by compare-and-swap; also the work of a whole process."""

from pathlib import Path
from typing import Literal

from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import SystemClock
from everturn.errors import PreconditionFailedError
from everturn.ports.object_store import ABSENT, Etag, ObjectStore, Sentinel, StoredObject

Expected = Etag | Literal[Sentinel.ABSENT]


def count_up(store: ObjectStore, key: str, times: int) -> None:
    """Add 1 to the number at `key` this often, whoever else does the same."""
    done = 0
    while done < times:
        found = store.get(key)
        number = int(found.body) if isinstance(found, StoredObject) else 0
        expect: Expected = found.etag if isinstance(found, StoredObject) else ABSENT
        try:
            store.put(key, b"%d" % (number + 1), expect=expect, meta={"n": str(number + 1)})
        except PreconditionFailedError:
            continue
        done += 1


def count_up_in_directory(root: str, key: str, times: int) -> None:
    """The same in a process of its own."""
    count_up(DirectoryStore(Path(root), clock=SystemClock()), key, times)
