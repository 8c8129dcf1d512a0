"""Delete every conversation of a scope, many at once, each as its own delete would.

Tombstones stay; they hold no text.

Marks tell which tombstones an erasure has seen, so that it does not open them again when it
continues. A mark is a hash of a key and an etag.

The heads are listed until the time of a call is over. A hundred pages one after another may take
longer than that. So the keys at which pages end are stored. The next call lists the same pages in
parallel and gets farther.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.head import parse_record
from everturn.deletion.delete_conversation import delete_conversation
from everturn.errors import (
    CorruptRecordError,
    GoneError,
    InvalidRequestError,
    NotFoundError,
    OutcomeUnknownError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.listing.cache_files import ListCacheFiles
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import Entry, ObjectStore, StoredObject
from everturn.storage.budget import Budget
from everturn.values.keys import Scope, erasure_key, heads_prefix, is_head_of


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


ERASERS: Final = 16
# Begun together, looked at together: a slow one holds up no more than these.
_WAVE: Final = 2 * ERASERS
_UNCLEAR = (UnavailableError, OutcomeUnknownError, PreconditionFailedError, GoneError)


@dataclass(frozen=True, slots=True)
class Eraser:
    """What an erasure works with."""

    store: ObjectStore
    derived: ObjectStore
    heads: HeadCache
    clock: Clock
    entropy: Entropy
    scope: Scope
    budget: Budget
    executor: Executor
    """At most `ERASERS` at once; what runs there waits for nothing else that does."""
    progress: "Progress"

    def may_begin(self) -> bool:
        """Say whether there is time for more; the first to ask gets it, else no call might end."""
        is_first, self.progress.has_begun = not self.progress.has_begun, True
        return is_first or not self.budget.is_over


@dataclass(slots=True)
class Progress:
    """What went, by kind; how many objects are known to be left; which tombstones are done."""

    deleted: Counter[str] = field(default_factory=Counter)
    left: int = 0
    known: frozenset[bytes] = frozenset()
    edges: tuple[str, ...] | None = None
    """Where known, keys at which the pages of the listing of all heads end, as far as it got."""
    has_begun: bool = False


def erase_conversations(eraser: Eraser) -> bool:
    """Delete what is there until it is done or the budget is over; say whether it is done.

    Where it is done, every conversation that was there when the call began is deleted. A file that
    cannot be read is removed as it is. At least one is tried, however long the listing takes.

    Raises:
        AccessDeniedError: the store refuses one for good.
        UnavailableError: the store does not list.
    """
    progress = eraser.progress
    progress.known = _read_marks(eraser)
    files = ListCacheFiles(derived=eraser.derived, scope=eraser.scope)
    listing = ErasedListing(
        eraser.store,
        heads_prefix(eraser.scope),
        eraser.budget,
        eraser.executor,
        set(files.open_root().root.edges),
    )
    unknown = _unknown(listing, progress.known)
    # As many as begin together: later ones look at the clock before they begin.
    wave = list(islice(unknown, ERASERS))
    while wave:
        if not eraser.may_begin():
            progress.left += len(wave)
            break
        _erase_wave(eraser, wave)
        if progress.left:
            break
        wave = list(islice(unknown, _WAVE))
    progress.edges = tuple(sorted(listing.edges))
    return not progress.left and not listing.is_cut


def save_marks(eraser: Eraser) -> None:
    """Keep what is known for the call that goes on."""
    try:
        eraser.derived.overwrite(erasure_key(eraser.scope), encode_marks(eraser.progress.known))
    except (StoreError, UnavailableError):
        # Then the next call opens these tombstones once more.
        return


def _read_marks(eraser: Eraser) -> frozenset[bytes]:
    try:
        stored = eraser.derived.get(erasure_key(eraser.scope))
    except (StoreError, UnavailableError):
        return frozenset()
    return parse_marks(stored.body) if isinstance(stored, StoredObject) else frozenset()


def _unknown(listing: ErasedListing, known: frozenset[bytes]) -> Iterator[Entry]:
    for entry in listing.entries():
        if mark_of(entry.key, entry.etag) not in known:
            yield entry


def _erase_wave(eraser: Eraser, wave: Sequence[Entry]) -> None:
    progress = eraser.progress
    seen: set[bytes] = set()
    together = len(wave) <= ERASERS
    results = eraser.executor.map(
        lambda entry: _erase(eraser, entry) if together or not eraser.budget.is_over else None, wave
    )
    for entry, gone in zip(wave, results, strict=True):
        if gone is None:
            progress.left += 1
            continue
        if not gone:
            seen.add(mark_of(entry.key, entry.etag))
        progress.deleted.update(gone)
    progress.known |= seen


def _erase(eraser: Eraser, entry: Entry) -> Counter[str] | None:
    """Return what went of one conversation, nothing where nothing was; None if it is not over."""
    try:
        stored = eraser.store.get(entry.key)
        if not isinstance(stored, StoredObject):
            return Counter()
        try:
            return _delete(eraser, entry.key, stored)
        except (CorruptRecordError, InvalidRequestError):
            eraser.store.delete(entry.key, expect=stored.etag)
            return Counter(unreadable=1)
    except NotFoundError:
        # Somebody else deleted it meanwhile.
        return Counter()
    except _UNCLEAR:
        return None


def _delete(eraser: Eraser, key: str, stored: StoredObject) -> Counter[str] | None:
    head = parse_record(stored.body, name="").head
    if not is_head_of(key, head.conversation_id):
        raise CorruptRecordError("a stored record has another id")
    if head.is_done:
        return Counter()
    receipt = delete_conversation(
        store=eraser.store,
        derived=eraser.derived,
        heads=eraser.heads,
        clock=eraser.clock,
        entropy=eraser.entropy,
        scope=eraser.scope,
        conversation_id=head.conversation_id,
        # All that are deleted at once would write the one root: lists and memories go in the end.
        is_alone=False,
    )
    return Counter(conversations=1, **receipt.deleted) if receipt.complete else None


_MARK_BYTES: Final = 8


def mark_of(key: str, etag: str) -> bytes:
    """Return the mark of one version of an object."""
    named = f"{key}\n{etag}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).digest()[:_MARK_BYTES]


def encode_marks(marks: Iterable[bytes]) -> bytes:
    """Return marks as they are stored."""
    return b"".join(sorted(marks))


def parse_marks(body: bytes) -> frozenset[bytes]:
    """Read marks; what is half a mark is none."""
    whole = range(0, len(body) - _MARK_BYTES + 1, _MARK_BYTES)
    return frozenset(body[start : start + _MARK_BYTES] for start in whole)
