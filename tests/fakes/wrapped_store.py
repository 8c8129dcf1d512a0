"""An object store in front of another: every verb passes one place, where a test may step in."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar

from everturn.errors import EverturnError
from everturn.ports.object_store import Etag, ObjectStore, Page, Sentinel, StoredObject

Verb = Literal["get", "put", "overwrite", "delete", "delete_many", "list"]
Answer = TypeVar("Answer")

WRITES: frozenset[Verb] = frozenset({"put", "overwrite", "delete", "delete_many"})


class WrappedStore:
    """Hands every call on; subclasses say how in `_request`."""

    def __init__(self, inner: ObjectStore) -> None:
        """Stand in front of `inner`."""
        self._inner = inner

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        """Answer one call; `send` makes it, and may be called now, later or never."""
        del verb, key
        return send()

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        """Read one object."""
        return self._request("get", key, lambda: self._inner.get(key, unless_etag=unless_etag))

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        """Write one object if the key is as expected."""
        return self._request(
            "put", key, lambda: self._inner.put(key, body, expect=expect, meta=meta)
        )

    def overwrite(self, key: str, body: bytes) -> Etag:
        """Write one object whatever is there."""
        return self._request("overwrite", key, lambda: self._inner.overwrite(key, body))

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        """Remove one object if it is as expected."""
        return self._request("delete", key, lambda: self._inner.delete(key, expect=expect))

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove objects; the first key stands for all."""
        return self._request(
            "delete_many", next(iter(keys), ""), lambda: self._inner.delete_many(keys)
        )

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        """List one page."""
        return self._request(
            "list", prefix, lambda: self._inner.list(prefix, start_after=start_after)
        )


class RefusingStore(WrappedStore):
    """Does not do one verb below one prefix, and says why."""

    def __init__(self, inner: ObjectStore, verb: Verb, prefix: str, error: EverturnError) -> None:
        """Stand in front of `inner`."""
        super().__init__(inner)
        self._refused, self._prefix, self._error = verb, prefix, error

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == self._refused and key.startswith(self._prefix):
            raise self._error
        return send()
