"""A store in front of another that counts requests and bytes, and can make each take its time."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from everturn.ports.object_store import Etag, ObjectStore, Page, Sentinel, StoredObject

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds that one request takes, half of them before the store decides, half after."""

    read_s: float = 0.0
    write_s: float = 0.0


@dataclass(slots=True)
class Tally:
    """Requests by verb, bytes of bodies, metadata and listed names, and CPU of the store's own."""

    requests: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    received: int = 0
    cpu_s: float = 0.0

    def add(self, other: "Tally") -> None:
        self.requests += other.requests
        self.sent += other.sent
        self.received += other.received
        self.cpu_s += other.cpu_s


class MeteredStore:
    """Hands every call on; `tally` holds what passed since `fresh_tally`. Safe under threads."""

    def __init__(self, inner: ObjectStore, latency: Latency | None = None) -> None:
        self._inner = inner
        self._latency = latency or Latency()
        self._lock = threading.Lock()
        self.tally = Tally()

    @contextmanager
    def fresh_tally(self) -> Iterator[Tally]:
        """Count what passes within the block apart from all else; for one thread."""
        before, self.tally = self.tally, Tally()
        try:
            yield self.tally
        finally:
            self.tally = before

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        found = self._read("get", lambda: self._inner.get(key, unless_etag=unless_etag))
        if isinstance(found, StoredObject):
            self._count(received=len(found.body) + _size(found.meta))
        return found

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        self._count(sent=len(body) + _size(meta or {}))
        return self._write("put", lambda: self._inner.put(key, body, expect=expect, meta=meta))

    def overwrite(self, key: str, body: bytes) -> Etag:
        self._count(sent=len(body))
        return self._write("overwrite", lambda: self._inner.overwrite(key, body))

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        self._write("delete", lambda: self._inner.delete(key, expect=expect))

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        self._count(sent=sum(map(len, keys)))
        return self._write("delete_many", lambda: self._inner.delete_many(keys))

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        def listed() -> Page:
            page = self._inner.list(prefix, start_after=start_after)
            # Here, so that no CPU of counting is taken for that of a caller.
            self._count(received=sum(map(len, page.keys)) + sum(map(len, page.etags)))
            return page

        return self._read("list", listed)

    def _read(self, verb: str, send: Callable[[], Answer]) -> Answer:
        return self._request(verb, send, self._latency.read_s)

    def _write(self, verb: str, send: Callable[[], Answer]) -> Answer:
        return self._request(verb, send, self._latency.write_s)

    def _request(self, verb: str, send: Callable[[], Answer], takes_s: float) -> Answer:
        with self._lock:
            self.tally.requests[verb] += 1
        _wait(takes_s / 2)
        began_s = time.thread_time()
        try:
            return send()
        finally:
            self._count(cpu_s=time.thread_time() - began_s)
            _wait(takes_s / 2)

    def _count(self, *, sent: int = 0, received: int = 0, cpu_s: float = 0.0) -> None:
        with self._lock:
            self.tally.sent += sent
            self.tally.received += received
            self.tally.cpu_s += cpu_s


def _wait(seconds: float) -> None:
    # Nothing to wait for gives no other thread its turn.
    if seconds:
        time.sleep(seconds)


def _size(meta: Mapping[str, str]) -> int:
    return sum(len(name) + len(value) for name, value in meta.items())
