"""Erase all that a scope has: conversations, documents, memories, and what was made of them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Final

from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.head import parse_record
from everturn.deletion.delete_conversation import Receipt
from everturn.errors import CorruptRecordError
from everturn.listing.cache_files import forget_all
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore, Page, StoredObject
from everturn.storage.budget import Budget
from everturn.storage.deletes import erase_listed, erase_objects
from everturn.storage.swap import Patience
from everturn.upkeep.erase_conversations import (
    ERASERS,
    Eraser,
    Progress,
    erase_conversations,
    save_marks,
)
from everturn.values.keys import (
    DIRTY_PREFIX,
    Scope,
    Token,
    head_key,
    is_token,
    key_token,
    list_cache_key,
    list_files_prefix,
    scope_prefix,
)

# A request ends within 20 s; what begins in time may take another ten.
_BEGIN_S: Final = 8.0
_KINDS: Final = {
    "conversations": "", "turns": "", "segments": "s", "staged": "x", "quarantined": "q",
    "watermarks": "w", "documents": "o", "memories": "m", "vectors": "v",
    "unreadable": "",
}  # fmt: skip
"""What a receipt counts; with the first letter of the keys of those that are erased by prefix."""

# Of a conversation: they stay where one was created since, jobs that wait for a queue as well.
_BESIDE_A_HEAD: Final = frozenset("sxqwd")
# The names of these come again when the id lives again.
_REUSED: Final = frozenset("xqw")


def erase_scope(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
) -> Receipt:
    """Erase as much as a request has time for, within 20 s; called again it goes on.

    Of what was there when the call began, nothing is left under a complete receipt but tombstones
    and an empty list, which hold no text; a list that began before cannot bring any back. A
    conversation that is created meanwhile may stay.

    Returns:
        What this call removed, zeros for an actor who has nothing. `remaining` counts conversations
        and objects that are known to be left, at least 1 where the receipt is not complete.

    Raises:
        AccessDeniedError: the store refuses for good; the rest may be gone.
        UnavailableError: the store does not list or remove; ask again.
    """
    budget, progress = Budget(clock=clock, seconds=_BEGIN_S), Progress()
    with ThreadPoolExecutor(ERASERS) as executor:
        eraser = Eraser(
            store, derived, heads, clock, entropy, scope, budget, executor, progress
        )  # fmt: skip
        complete = _erase_all(eraser)
        if not complete:
            forget_all(derived=derived, scope=scope, edges=progress.edges)
            save_marks(eraser)
    counts = {kind: progress.deleted[kind] for kind in _KINDS}
    return Receipt(counts, complete, 0 if complete else max(progress.left, 1))


def _erase_all(eraser: Eraser) -> bool:
    """Take the steps in order as far as there is time; say whether all are done."""
    forget_all(derived=eraser.derived, scope=eraser.scope, edges=None)
    files = _Below(eraser.derived, list_files_prefix(eraser.scope))
    return (
        _erase_below(eraser, files)
        and erase_conversations(eraser)
        and _erase_kinds(eraser)
        and _erase_below(eraser, _Below(eraser.derived, DIRTY_PREFIX, of=eraser.scope))
        and _erase_lists(eraser)
    )


def _erase_kinds(eraser: Eraser) -> bool:
    places = [
        _Below(
            eraser.derived if letter == "v" else eraser.store,
            scope_prefix(letter, eraser.scope),
            kind,
        )
        for kind, letter in _KINDS.items()
        if letter
    ]
    # Most are empty; looked into one after another, they would take the time of the others.
    first = eraser.executor.map(lambda below: below.where.list(below.prefix), places)
    return all(
        _erase_below(eraser, below, page) for below, page in zip(places, list(first), strict=True)
    )


def _erase_lists(eraser: Eraser) -> bool:
    """Erase what lists that ran meanwhile made, and make those that still run lose their race."""
    if eraser.budget.is_over:
        return False
    forget_all(derived=eraser.derived, scope=eraser.scope)
    root = list_cache_key(eraser.scope)
    return _erase_below(
        eraser, _Below(eraser.derived, scope_prefix("i", eraser.scope), kept=frozenset({root}))
    )


@dataclass(frozen=True, slots=True)
class _Below:
    """What is to be erased by prefix, and as what it counts."""

    where: ObjectStore
    prefix: str
    kind: str = ""
    kept: frozenset[str] = frozenset()
    of: Scope | None = None
    """Whose jobs are meant, where those of all lie there."""

    def parts(self, page: Page) -> Iterator[Sequence[str]]:
        """Yield the keys of a page by as many conversations as are looked at together."""
        if self.prefix[0] in _BESIDE_A_HEAD:
            groups = groupby(filter(self._is_meant, page.keys), key=_token_of)
            while some := [list(keys) for _, keys in islice(groups, ERASERS)]:
                yield [key for keys in some for key in keys]
        elif keys := [key for key in page.keys if key not in self.kept]:
            yield keys

    def _is_meant(self, key: str) -> bool:
        if self.of is None:
            return True
        return key.split("/")[2:4] == [key_token(self.of.tenant), key_token(self.of.actor)]

    def erase(self, page: Page, keys: Sequence[str], patience: Patience) -> int:
        """Remove these keys of a page; return how many are left, since somebody wrote to them."""
        if self.prefix[0] not in _REUSED:
            erase_objects(store=self.where, keys=keys, patience=patience)
            return 0
        wanted = frozenset(keys)
        entries = [entry for entry in page.entries if entry.key in wanted]
        return len(erase_listed(store=self.where, entries=entries, patience=patience))


def _erase_below(eraser: Eraser, below: _Below, page: Page | None = None) -> bool:
    """Erase what lies below a prefix as far as there is time; say whether it is done."""
    page = page or below.where.list(below.prefix)
    while True:
        if not _erase_page(eraser, below, page):
            return False
        if not page.more:
            return True
        if eraser.budget.is_over:
            return False
        page = below.where.list(below.prefix, start_after=page.keys[-1])


def _erase_page(eraser: Eraser, below: _Below, page: Page) -> bool:
    for keys in below.parts(page):
        if not eraser.may_begin():
            eraser.progress.left += sum(key >= keys[0] for key in page.keys)
            return False
        gone = _without_living(eraser, keys) if below.prefix[0] in _BESIDE_A_HEAD else keys
        patience = Patience(clock=eraser.clock, entropy=eraser.entropy)
        left = below.erase(page, gone, patience)
        eraser.progress.deleted[below.kind] += len(gone) - left
        if left:
            eraser.progress.left += left
            return False
    return True


def _without_living(eraser: Eraser, keys: Sequence[str]) -> list[str]:
    """Leave out what belongs to a conversation that was created since.

    Heads are read after the listing: what was listed is not of a life that began later.
    """
    tokens = sorted({_token_of(key) for key in keys})
    found = eraser.executor.map(lambda token: _is_living(eraser, token), tokens)
    living = dict(zip(tokens, found, strict=True))
    return [key for key in keys if not living[_token_of(key)]]


def _token_of(key: str) -> str:
    """Return the token of the conversation that a listed key is beside of."""
    kind, *parts = key.split("/")
    if kind == "w":
        return parts[2].removesuffix(".json")
    return parts[-1] if key.startswith(DIRTY_PREFIX) else parts[2]


def _is_living(eraser: Eraser, token: str) -> bool:
    if not is_token(token):
        return False
    stored = eraser.store.get(head_key(eraser.scope, Token(token)))
    if not isinstance(stored, StoredObject):
        return False
    try:
        return parse_record(stored.body, name="").head.deleted is None
    except CorruptRecordError:
        return True
