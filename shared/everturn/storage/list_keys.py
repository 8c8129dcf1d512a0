"""List all keys below a prefix, page after page."""

from collections.abc import Iterator

from everturn.ports.object_store import Entry, ObjectStore


def list_all(store: ObjectStore, prefix: str, *, start_after: str = "") -> Iterator[Entry]:
    """Yield entries in byte order of their keys; one request per page.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    page = store.list(prefix, start_after=start_after)
    yield from page.entries
    while page.more:
        page = store.list(prefix, start_after=page.entries[-1].key)
        yield from page.entries
