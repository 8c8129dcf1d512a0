"""List all keys below a prefix, page after page or in parallel.

Pages are listed in parallel where it is known about where they end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import chain

from everturn.ports.object_store import Entry, ObjectStore, Page


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


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages of all keys, in byte order."""

    pages: Sequence[Page]

    def newest_first(self, keys: Iterable[str]) -> list[str]:
        """Return these keys by the time of their last write."""
        wanted = frozenset(keys)
        written = [
            (page.modified_ns[at], key)
            for page in self.pages
            for at, key in enumerate(page.keys)
            if key in wanted
        ]
        return [key for _, key in sorted(written, reverse=True)]

    def edges(self) -> tuple[str, ...]:
        """Return the keys that end the pages of the next listing; never the last key."""
        if len(self.pages) == 1:
            return ()
        keys = [key for page in self.pages for key in page.keys]
        size = len(self.pages[0].keys)
        return tuple(keys[size - 1 : -1 : size])


def list_parts(
    *, store: ObjectStore, prefix: str, edges: Callable[[str], Sequence[str]], executor: Executor
) -> Listing:
    """List all keys, none twice; one that is there throughout is in it.

    Args:
        store: where they lie.
        prefix: what they begin with.
        edges: keys at which pages may end, asked for with the last key of the first page. Wrong
            ones cost requests: whatever they are, the parts between them cover all keys.
        executor: reads the parts.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    first = store.list(prefix)
    if not first.more:
        return Listing((first,))
    end = first.keys[-1]
    ends = sorted({edge for edge in edges(end) if edge > end and edge.startswith(prefix)})
    starts = [end, *ends]
    parts = executor.map(
        lambda start, until: tuple(list_part(store, prefix, start, until)), starts, [*ends, None]
    )
    return Listing((first, *chain.from_iterable(parts)))


def list_part(store: ObjectStore, prefix: str, after: str, until: str | None) -> Iterator[Page]:
    """Yield pages of the keys behind `after`, up to and with `until`.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    while True:
        page = store.list(prefix, start_after=after)
        if until is not None and page.keys and page.keys[-1] >= until:
            yield _cut(page, until)
            return
        yield page
        if not page.more:
            return
        after = page.keys[-1]


def _cut(page: Page, until: str) -> Page:
    count = sum(key <= until for key in page.keys)
    if count == len(page.keys):
        return page
    return replace(
        page,
        keys=page.keys[:count],
        etags=page.etags[:count],
        sizes=page.sizes[:count],
        modified_ns=page.modified_ns[:count],
    )
