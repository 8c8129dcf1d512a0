"""How far each conversation of a scope was consolidated, by one listing and what changed since."""

from collections.abc import Mapping, Sequence
from typing import Final

from everturn.conversations.read_watermark import read_watermark
from everturn.memory.index.record_cache import HowFar, MemoryCache
from everturn.ports.object_store import ObjectStore
from everturn.storage.list_keys import list_all
from everturn.values.keys import Scope, scope_prefix

# Enough to say when turns were read last, as a rule, where there is no time for all of them.
_NEWEST: Final = 8


class Watermarks:
    """The watermarks of one scope as they were listed, each read when it is asked for first."""

    def __init__(self, *, store: ObjectStore, scope: Scope, cache: MemoryCache) -> None:
        """List them.

        Raises:
            AccessDeniedError, UnavailableError: the store does not list.
        """
        self._store, self._cache = store, cache
        self._prefix = scope_prefix("w", scope)
        entries = list(list_all(store, self._prefix))
        self._etags: Mapping[str, str] = {entry.key: entry.etag for entry in entries}
        entries.sort(key=lambda entry: entry.modified_ns, reverse=True)
        self.newest: Sequence[str] = tuple(entry.key for entry in entries[:_NEWEST])
        """Keys of the eight that were written last."""
        self._read_ns: dict[str, int] = {}

    def of(self, key: str) -> int:
        """Return how many turns of a conversation were consolidated.

        One that cannot be read counts as none: its turns are searched as they are. So does one that
        moved since it was listed: memories that were listed in between may lack what it covers now.

        Args:
            key: of its head, or of its watermark.

        Raises:
            AccessDeniedError, UnavailableError: the store does not read.
        """
        key = self._prefix + key.rpartition("/")[2]
        etag = self._etags.get(key)
        if etag is None:
            return 0
        known = self._cache.watermarks.get((key, etag))
        how_far = self._read(key, etag) if known is None else known
        self._read_ns[key] = how_far.read_ns
        return how_far.turns

    @property
    def last_read_ns(self) -> int | None:
        """When turns were consolidated last, by the watermarks that were read; None if never.

        A watermark is written when a job fails, too, so that no listing tells it.
        """
        return max(self._read_ns.values(), default=0) or None

    def _read(self, key: str, etag: str) -> HowFar:
        stored = read_watermark(store=self._store, key=key, conversation_id="")
        if stored.etag != etag:
            return HowFar(0, stored.mark.read_ns)
        how_far = HowFar(stored.mark.turns, stored.mark.read_ns)
        self._cache.watermarks.keep((key, etag), how_far, len(key))
        return how_far
