"""A store that writes down every call before it passes it on."""

from collections.abc import Mapping, Sequence
from typing import Literal

from everturn.ports.object_store import Etag, ObjectStore, Page, Sentinel, StoredObject


class CountingStore:
    """Passes calls on to `inner`; `calls` holds (verb, key or prefix) in order.

    The key of a `delete_many` is all its keys, joined by blanks.
    """

    def __init__(self, inner: ObjectStore) -> None:
        self.inner = inner
        self.calls: list[tuple[str, str]] = []

    def verbs(self) -> list[str]:
        return [verb for verb, _ in self.calls]

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        self.calls.append(("get", key))
        return self.inner.get(key, unless_etag=unless_etag)

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        self.calls.append(("put", key))
        return self.inner.put(key, body, expect=expect, meta=meta)

    def overwrite(self, key: str, body: bytes) -> Etag:
        self.calls.append(("overwrite", key))
        return self.inner.overwrite(key, body)

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        self.calls.append(("delete", key))
        self.inner.delete(key, expect=expect)

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        self.calls.append(("delete_many", " ".join(keys)))
        return self.inner.delete_many(keys)

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        self.calls.append(("list", prefix))
        return self.inner.list(prefix, start_after=start_after)
