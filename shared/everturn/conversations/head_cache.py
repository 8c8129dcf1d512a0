"""Heads that this process has just read or written, so that the next append needs one request.

A cached head may be out of date; a write under its etag then fails and nothing is lost by it.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from everturn.conversations.model.head import Head
from everturn.conversations.model.write_ring import WriteRing
from everturn.ports.object_store import Etag, Sentinel

# Enough for a few hundred busy conversations in the smallest Lambda.
_MAX_BYTES = 64 * 1_048_576
# What a head without turns takes: a full ring, a title, the objects around them.
_FRAME_BYTES = 4_096
# What one name of a segment takes, with its time.
_SEGMENT_BYTES = 256


@dataclass(frozen=True, slots=True)
class Base:
    """A head with the ring from its metadata, and what a write that builds on it expects."""

    head: Head
    ring: WriteRing
    etag: Etag | Literal[Sentinel.ABSENT]


class HeadCache:
    """The newest heads by key, bounded in bytes; safe under threads."""

    def __init__(self, *, max_bytes: int = _MAX_BYTES) -> None:
        """Keep at most `max_bytes` of turns, each head with 4 KiB for what surrounds them."""
        self._max_bytes = max_bytes
        self._bytes = 0
        self._bases: OrderedDict[str, Base] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Base | None:
        """Return the head last kept for a key, or None."""
        with self._lock:
            if key in self._bases:
                self._bases.move_to_end(key)
            return self._bases.get(key)

    def keep(self, key: str, base: Base) -> None:
        """Keep a head, and let go of the least recently used ones beyond the bound."""
        with self._lock:
            self._remove(key)
            self._bases[key] = base
            self._bytes += _size(base)
            while self._bytes > self._max_bytes:
                self._remove(next(iter(self._bases)))

    def drop(self, key: str) -> None:
        """Forget a key."""
        with self._lock:
            self._remove(key)

    def _remove(self, key: str) -> None:
        base = self._bases.pop(key, None)
        self._bytes -= _size(base) if base else 0


def _size(base: Base) -> int:
    sealed = base.head.sealed
    segments = _SEGMENT_BYTES * len(sealed.segments) if sealed else 0
    return _FRAME_BYTES + len(base.head.turns_json) + segments
