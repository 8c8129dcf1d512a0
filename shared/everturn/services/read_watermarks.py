"""How far each conversation of a scope was consolidated, by one listing and what changed since.

Not here: moving a watermark, which consolidation does.
"""

from collections.abc import Mapping

from everturn.domain.keys import Scope, scope_prefix
from everturn.domain.watermark import parse_watermark
from everturn.errors import CorruptRecordError
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.services.list_keys import list_all
from everturn.services.memory_cache import MemoryCache


class Watermarks:
    """The watermarks of one scope, each read when it is asked for first."""

    def __init__(self, *, store: ObjectStore, scope: Scope, cache: MemoryCache) -> None:
        """List them.

        Raises:
            AccessDeniedError, UnavailableError: the store does not list.
        """
        self._store, self._cache = store, cache
        self._prefix = scope_prefix("w", scope)
        entries = list_all(store, self._prefix)
        self._etags: Mapping[str, str] = {entry.key: entry.etag for entry in entries}

    def of(self, head_key: str) -> int:
        """Return how many turns of the conversation at a head were consolidated.

        One that cannot be read counts as none: its turns are searched as they are.

        Raises:
            AccessDeniedError, UnavailableError: the store does not read.
        """
        key = self._prefix + head_key.rpartition("/")[2]
        etag = self._etags.get(key)
        if etag is None:
            return 0
        known = self._cache.watermarks.get((key, etag))
        return self._read(key) if known is None else known

    def _read(self, key: str) -> int:
        stored = self._store.get(key)
        if not isinstance(stored, StoredObject):
            return 0
        try:
            turns = parse_watermark(stored.body)
        except CorruptRecordError:
            return 0
        self._cache.watermarks.keep((key, stored.etag), turns, len(key))
        return turns
