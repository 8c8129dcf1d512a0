"""List the heads of a scope that is erased, as far as the time of a call reaches.

A hundred pages one after another may take longer than a call has. Where they end is kept, so that
the next call lists the same pages in parallel and gets farther.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from everturn.ports.object_store import Entry, ObjectStore
from everturn.storage.budget import Budget


@dataclass(slots=True)
class ErasedListing:
    """One listing of all keys below a prefix; it may be cut."""

    store: ObjectStore
    prefix: str
    budget: Budget
    executor: Executor
    edges: set[str] = field(default_factory=set)
    """Keys at which pages may end; those that were met are added."""
    is_cut: bool = False
    """Whether there was no time for some page."""

    def entries(self) -> Iterator[Entry]:
        """Yield what is there, at least one page of it; nothing that was there is left out uncut.

        Raises:
            AccessDeniedError, UnavailableError: the store does not list.
        """
        ends = sorted(edge for edge in self.edges if edge.startswith(self.prefix))
        starts = ["", *ends]
        for part in self.executor.map(self._part, starts, ends):
            yield from part
        yield from self._tail(starts[-1])

    def _part(self, after: str, end: str) -> Sequence[Entry]:
        """Return the entries behind `after`, up to and with `end`."""
        found: list[Entry] = []
        # The first page of all is read in any case, else a call might do nothing.
        while not after or not self.budget.is_over:
            page = self.store.list(self.prefix, start_after=after)
            found += (entry for entry in page.entries if entry.key <= end)
            if not page.more or page.keys[-1] >= end:
                return found
            after = page.keys[-1]
        self.is_cut = True
        return found

    def _tail(self, after: str) -> Iterator[Entry]:
        while not after or not self.budget.is_over:
            page = self.store.list(self.prefix, start_after=after)
            yield from page.entries
            if not page.more:
                return
            after = page.keys[-1]
            self.edges.add(after)
        self.is_cut = True
