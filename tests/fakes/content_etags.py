"""A store in memory whose etags are those of the content, as S3's are: they can come again."""

import hashlib

from everturn.adapters.memory_store import MemoryStore
from everturn.ports.object_store import Etag, StoredObject


class ContentEtags(MemoryStore):
    """Gives every object the MD5 of its body as its etag."""

    def _write(self, key: str, body: bytes, meta: dict[str, str]) -> Etag:
        super()._write(key, body, meta)
        version = self._versions[key]
        etag = Etag(f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"')
        stored = StoredObject(version.stored.body, etag, version.stored.meta)
        self._versions[key] = type(version)(stored, version.modified_ns)
        return etag
