"""Erase all that a scope has: conversations, documents, memories, and what was made of them.

Not here: one conversation (services/delete_conversation.py), versions that a bucket keeps.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from everturn.domain.head import parse_record
from everturn.domain.keys import (
    Scope,
    Token,
    head_key,
    is_token,
    list_cache_key,
    list_files_prefix,
    scope_prefix,
)
from everturn.errors import CorruptRecordError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.services.budget import Budget
from everturn.services.erase_conversations import (
    Eraser,
    Progress,
    erase_conversations,
    save_marks,
)
from everturn.services.erase_objects import erase_objects
from everturn.services.finish_deletion import Receipt
from everturn.services.head_cache import HeadCache
from everturn.services.retrying import Patience

# A request ends within 20 s; what begins in time may take another ten.
_BEGIN_S: Final = 8.0
_KINDS: Final = {
    "conversations": "", "turns": "", "segments": "s", "staged": "x", "quarantined": "q",
    "watermarks": "w", "documents": "o", "memories": "m", "memory_versions": "h", "vectors": "v",
    "unreadable": "",
}  # fmt: skip
"""What a receipt counts; with the first letter of the keys of those that are erased by prefix."""

# Of a conversation: they stay where one was created since.
_BESIDE_A_HEAD: Final = frozenset("sxqw")


def erase_scope(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
) -> Receipt:
    """Erase as much as about ten seconds allow; called again it goes on.

    Of what was there when the call began, nothing is left under a complete receipt but tombstones,
    which hold no text. A conversation that is created meanwhile may stay.

    Returns:
        What this call removed, zeros for an actor who has nothing. `remaining` counts conversations
        and objects that are known to be left, at least 1 where the receipt is not complete.

    Raises:
        AccessDeniedError: the store refuses for good; the rest may be gone.
        UnavailableError: the store does not list or remove; ask again.
    """
    budget, progress = Budget(clock=clock, seconds=_BEGIN_S), Progress()
    eraser = Eraser(store, derived, heads, clock, entropy, scope, budget, progress)
    complete = all(step() for step in _steps(eraser))
    counts = {kind: progress.deleted[kind] for kind in _KINDS}
    if not complete:
        save_marks(eraser)
        return Receipt(counts, complete=False, remaining=max(progress.left, 1))
    return Receipt(counts)


def _steps(eraser: Eraser) -> Iterator[Callable[[], bool]]:
    """Yield the steps in order; each says whether it is done."""
    below = partial(_erase_below, eraser)
    # Without its lists, a deletion has no row to take out of them.
    yield partial(_erase_keys, eraser, eraser.derived, [list_cache_key(eraser.scope)])
    yield partial(below, eraser.derived, list_files_prefix(eraser.scope), "")
    yield partial(erase_conversations, eraser)
    for kind, letter in _KINDS.items():
        where = eraser.derived if letter == "v" else eraser.store
        if letter:
            yield partial(below, where, scope_prefix(letter, eraser.scope), kind)
    # Lists come last: one that ran meanwhile may have made them anew.
    yield partial(below, eraser.derived, scope_prefix("i", eraser.scope), "")


def _erase_keys(eraser: Eraser, where: ObjectStore, keys: Sequence[str]) -> bool:
    patience = Patience(clock=eraser.clock, entropy=eraser.entropy)
    erase_objects(store=where, keys=keys, patience=patience)
    return True


def _erase_below(eraser: Eraser, where: ObjectStore, prefix: str, kind: str) -> bool:
    """Erase what lies below a prefix, at least one page of it a call; whether it is done."""
    after = ""
    while True:
        page = where.list(prefix, start_after=after)
        keys = list(page.keys)
        if prefix[0] in _BESIDE_A_HEAD:
            keys = _without_living(eraser, keys)
        if after and eraser.budget.is_over:
            eraser.progress.left += len(keys)
            return False
        _erase_keys(eraser, where, keys)
        eraser.progress.deleted[kind] += len(keys)
        if not page.more:
            return True
        after = page.keys[-1]


def _without_living(eraser: Eraser, keys: Iterable[str]) -> list[str]:
    """Leave out what belongs to a conversation that was created since.

    Heads are read after the listing: what was listed is not of a life that began later.
    """
    living: dict[str, bool] = {}
    kept: list[str] = []
    for key in keys:
        kind, _, _, token, *_ = key.split("/")
        token = token.removesuffix(".json") if kind == "w" else token
        if token not in living:
            living[token] = is_token(token) and _is_living(eraser, Token(token))
        if not living[token]:
            kept.append(key)
    return kept


def _is_living(eraser: Eraser, conversation: Token) -> bool:
    stored = eraser.store.get(head_key(eraser.scope, conversation))
    if not isinstance(stored, StoredObject):
        return False
    try:
        return parse_record(stored.body, name="").head.deleted is None
    except CorruptRecordError:
        return True
