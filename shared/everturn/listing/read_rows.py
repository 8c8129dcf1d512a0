"""Read heads for their rows: those that changed, as many as time allows."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

from everturn.conversations.read_record import found_of
from everturn.errors import AccessDeniedError, CorruptRecordError, GoneError
from everturn.listing.model.cached_row import CachedRow, row_of
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.values.keys import Scope

READERS: Final = 16
"""Heads are read in parallel: a GET waits some 30 ms for S3 and needs a few ms of CPU."""
NO_ETAG: Final = ""
"""Of a head that is to be looked at again however it is listed."""
# Of a head that another program wrote, segments may go while they are read.
_ATTEMPTS: Final = 3
BATCH: Final = 8 * READERS
"""How many are read between two looks at the clock: half a second on S3."""


def read_row(*, data: ObjectStore, scope: Scope, key: str, etag: str) -> CachedRow | None:
    """Read one head; None if it is gone since it was listed with this etag.

    Raises:
        UnavailableError: the store does not answer.
    """
    if not key.isascii():
        return CachedRow(NO_ETAG, None, unreadable=True)
    for _ in range(_ATTEMPTS):
        try:
            return _read_once(data, scope, key)
        except CorruptRecordError:
            return CachedRow(etag, None, unreadable=True)
        except GoneError:
            continue
        except AccessDeniedError:
            break
    # A permission can come back without a change of the object: not for the cache.
    return CachedRow(NO_ETAG, None, unreadable=True)


def _read_once(data: ObjectStore, scope: Scope, key: str) -> CachedRow | None:
    stored = data.get(key)
    if not isinstance(stored, StoredObject):
        return None
    name = key.rpartition("/")[2]
    try:
        record = found_of(stored, key=key, store=data, scope=scope, name=name).record
    except CorruptRecordError:
        return CachedRow(stored.etag, None, unreadable=True)
    return row_of(record, key=key, etag=stored.etag)


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads heads of one scope until an instant of the clock's stopwatch."""

    data: ObjectStore
    scope: Scope
    executor: Executor
    clock: Clock
    end_s: float

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self.clock.monotonic_s() >= self.end_s

    def read(self, etags: Mapping[str, str]) -> Iterator[tuple[str, CachedRow | None]]:
        """Yield keys with their rows until time is over: some at least.

        Args:
            etags: of the heads as they were listed, by key, in the order of reading.

        Raises:
            UnavailableError: the store does not answer.
        """
        keys = list(etags)
        for first in range(0, len(keys), BATCH):
            if first and self.is_late:
                return
            batch = keys[first : first + BATCH]
            rows = self.executor.map(lambda key: self._read(key, etags[key]), batch)
            yield from zip(batch, rows, strict=True)

    def _read(self, key: str, etag: str) -> CachedRow | None:
        return read_row(data=self.data, scope=self.scope, key=key, etag=etag)
