"""List all heads of a scope, pages in parallel where it is known at which keys they end.

Not here: what the heads hold, and which of them changed (services/walk_rows.py).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import chain

from everturn.domain.keys import Scope, heads_prefix
from everturn.ports.object_store import ObjectStore, Page


@dataclass(frozen=True, slots=True)
class Listing:
    """The pages of all heads, in byte order of their keys."""

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


def list_heads(
    *, data: ObjectStore, scope: Scope, edges: Callable[[], Sequence[str]], executor: Executor
) -> Listing:
    """List all heads, none twice; one that is there throughout is in it.

    Args:
        data: where they lie.
        scope: whose they are.
        edges: keys at which pages may end, asked for after the first page. Wrong ones cost
            requests: whatever they are, the parts between them cover all keys.
        executor: reads the parts.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    prefix = heads_prefix(scope)
    first = data.list(prefix)
    if not first.more:
        return Listing((first,))
    end = first.keys[-1]
    ends = sorted({edge for edge in edges() if edge > end and edge.startswith(prefix)})
    starts = [end, *ends]
    parts = executor.map(
        lambda start, until: tuple(_part(data, prefix, start, until)), starts, [*ends, None]
    )
    return Listing((first, *chain.from_iterable(parts)))


def _part(data: ObjectStore, prefix: str, after: str, until: str | None) -> Iterator[Page]:
    """Yield pages of the keys behind `after`, up to and with `until`."""
    while True:
        page = data.list(prefix, start_after=after)
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
