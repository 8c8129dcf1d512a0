"""The values that a process used last, within a bound of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """The values used last, by key, within a bound of bytes; safe under threads."""

    def __init__(self, max_bytes: int) -> None:
        """Keep at most so many bytes, by the sizes that are given."""
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return the value last kept for a key, or None."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def keep(self, key: Hashable, value: Value, size: int) -> None:
        """Keep a value of so many bytes; the ones used longest ago go, and one above the bound."""
        with self._lock:
            self._remove(key)
            if size > self._max_bytes:
                return
            self._kept[key] = (value, size)
            self._bytes += size
            while self._bytes > self._max_bytes:
                self._remove(next(iter(self._kept)))

    def drop(self, key: Hashable) -> None:
        """Forget a key."""
        with self._lock:
            self._remove(key)

    def _remove(self, key: Hashable) -> None:
        self._bytes -= self._kept.pop(key, (None, 0))[1]
