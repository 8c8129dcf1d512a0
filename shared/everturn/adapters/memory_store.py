"""An object store in a dictionary: what tests and throw-away processes run on.

It keeps the port's promises, S3's pages included.
"""

import threading
from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from everturn.errors import GoneError, PreconditionFailedError
from everturn.ports.clock import Clock
from everturn.ports.object_store import (
    ABSENT,
    ANY,
    UNCHANGED,
    Entry,
    Etag,
    Page,
    Sentinel,
    StoredObject,
    checked_keys,
    checked_meta,
)


@dataclass(frozen=True, slots=True)
class _Version:
    """One object with the time of its write."""

    stored: StoredObject
    modified_ns: int


class MemoryStore:
    """Objects of one process; one lock makes every call happen at one instant."""

    def __init__(self, clock: Clock, *, page_keys: int = 1_000) -> None:
        """Start empty; a listing shows at most `page_keys` keys per page (S3: 1,000)."""
        self._clock = clock
        self._page_keys = page_keys
        self._lock = threading.Lock()
        self._versions: dict[str, _Version] = {}
        self._keys: list[str] = []
        self._writes = 0

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        """Read one object: None if absent, `UNCHANGED` if its etag is `unless_etag`."""
        with self._lock:
            version = self._versions.get(key)
        if version is None:
            return None
        return UNCHANGED if version.stored.etag == unless_etag else version.stored

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        """Write one object if the key is as expected, else nothing.

        Raises:
            PreconditionFailedError: another object is there.
            GoneError: `expect` was an etag and the key is absent.
            InvalidRequestError: `meta` is too large or not ASCII.
        """
        checked = checked_meta(meta)
        with self._lock:
            self._require(key, expect)
            return self._write(key, body, checked)

    def overwrite(self, key: str, body: bytes) -> Etag:
        """Write one object whatever is there."""
        with self._lock:
            return self._write(key, body, {})

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        """Remove one object if it has this etag, or with `ANY` whatever is there.

        Raises:
            PreconditionFailedError: the object has another etag.
            GoneError: `expect` was an etag and the key is absent.
        """
        with self._lock:
            if expect is not ANY:
                self._require(key, expect)
            self._drop(key)

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove up to 1,000 objects whatever is there; none is ever left over.

        Raises:
            InvalidRequestError: there are more.
        """
        checked = checked_keys(keys)
        with self._lock:
            for key in checked:
                self._drop(key)
        return ()

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        """List one page of the keys that begin with `prefix`, in byte order."""
        with self._lock:
            first = bisect_left(self._keys, max(prefix, f"{start_after}\0"))
            found = self._keys[first : first + self._page_keys + 1]
            keys = [key for key in found if key.startswith(prefix)]
            shown = keys[: self._page_keys]
            return Page.of(map(self._entry, shown), more=len(keys) > len(shown))

    def _require(self, key: str, expect: Etag | Literal[Sentinel.ABSENT]) -> None:
        version = self._versions.get(key)
        if expect is ABSENT:
            if version is not None:
                raise PreconditionFailedError("an object is already there")
        elif version is None:
            raise GoneError("the object is gone")
        elif version.stored.etag != expect:
            raise PreconditionFailedError("the object has another etag")

    def _write(self, key: str, body: bytes, meta: dict[str, str]) -> Etag:
        self._writes += 1
        # Quoted as S3 gives them, so that nobody comes to rely on bare ones.
        etag = Etag(f'"{self._writes}"')
        if key not in self._versions:
            insort(self._keys, key)
        self._versions[key] = _Version(StoredObject(bytes(body), etag, meta), self._clock.now_ns())
        return etag

    def _drop(self, key: str) -> None:
        if self._versions.pop(key, None) is not None:
            del self._keys[bisect_left(self._keys, key)]

    def _entry(self, key: str) -> Entry:
        version = self._versions[key]
        stored = version.stored
        return Entry(key, stored.etag, len(stored.body), version.modified_ns)
