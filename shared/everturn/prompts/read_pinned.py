"""Read what opens every prompt: identity, rules, hard constraints, the user's profile, a goal.

Identity and rules come from the deployment, never from memory. The order does not depend on the
time: nothing changes while nothing was said.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from everturn.memory.index.load_rows import load_rows
from everturn.memory.index.record_cache import LoadedRows, MemoryCache
from everturn.memory.index.row import HARD, PINNED, USER, MemoryRow
from everturn.memory.model.memory import Memory
from everturn.memory.views import read_views, shown_since
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.prompts.pinned_block import PinnedParts
from everturn.values.keys import Scope
from everturn.values.prompt_text import snippet_text

MAX_PROFILE: Final = 12
# Hard constraints beyond these fill no prompt; the most important ones come first.
_MAX_CONSTRAINTS: Final = 64


@dataclass(frozen=True, slots=True)
class Pinned:
    """The parts of a pinned block, the ids of the memories in them, and why one may be missing."""

    parts: PinnedParts
    rids: frozenset[str]
    reason: str | None = None


def read_pinned(
    *,
    store: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    cache: MemoryCache,
    identity: str = "",
    rules: tuple[str, ...] = (),
    goal: str = "",
    loaded: LoadedRows | None = None,
) -> Pinned:
    """Return what there is to pin: one LIST per 1,000 memories, a GET for each that is not known.

    Args:
        store: where memories lie.
        derived: where their index lies.
        scope: whose they are.
        clock: ends the reading in time.
        cache: what this process knows.
        identity: who the agent is, from the deployment.
        rules: what its operator ordered, from the deployment.
        goal: what the caller is about.
        loaded: the rows of all memories, if they were loaded for this request already.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list or read.
    """
    if loaded is None:
        loaded = load_rows(store=store, derived=derived, scope=scope, clock=clock, cache=cache)
    rows = loaded.current()
    hard = _first(rows, lambda row: row.flags & HARD > 0, _MAX_CONSTRAINTS)
    profile = _first(rows, _is_profile, MAX_PROFILE)
    views = read_views([*hard, *profile], loaded, store=store, scope=scope, cache=cache)
    lines = {view.memory.rid: _line(view.memory, loaded) for view in views}
    parts = PinnedParts(identity, rules, _shown(hard, lines), _shown(profile, lines), goal)
    reason = "memories_pending" if loaded.pending else None
    reason = "memories_unreadable" if loaded.unreadable and reason is None else reason
    return Pinned(parts, frozenset(lines), reason)


def _shown(rids: Iterable[str], lines: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(lines[rid] for rid in rids if rid in lines)


def _is_profile(row: MemoryRow) -> bool:
    is_of_user = row.kind == "preference" or (row.kind == "fact" and row.flags & USER > 0)
    return is_of_user and not row.flags & HARD


def _first(rows: Iterable[MemoryRow], wanted: Callable[[MemoryRow], bool], count: int) -> list[str]:
    """Return the ids of the most important rows: what was pinned, then by salience."""
    some = sorted(
        filter(wanted, rows), key=lambda row: (not row.flags & PINNED, -row.salience, row.rid)
    )
    return [row.rid for row in some[:count]]


def _line(memory: Memory, loaded: LoadedRows) -> str:
    return snippet_text(memory.text, valid_from_ns=shown_since(memory, loaded))
