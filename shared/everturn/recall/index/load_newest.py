"""Load the indexes of the newest conversations of a scope, as many as there is time for."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from itertools import compress, islice
from typing import Final

from everturn.conversations.read_segments import read_whole
from everturn.errors import CorruptRecordError, NotFoundError
from everturn.listing.walk_rows import ListedRow, open_rows
from everturn.ports.clock import Clock
from everturn.recall.index.index_cache import LoadedIndex
from everturn.recall.index.load_index import IndexLoader
from everturn.recall.index.recall_request import Searched
from everturn.recall.index.turn_index import TurnIndex
from everturn.storage.budget import Budget
from everturn.values.timestamps import TimeWindow

# A head and a chunk each; so many requests are under way at once.
_WAVE: Final = 16


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to look: no further conversation is begun once one of these is reached.

    `rows` are looked at to see whether a conversation is wanted; None is all there are. So many
    turns are what a recall of one conversation reads too, some 220 MB with vectors. What a process
    does not know costs a request for each conversation and its chunk: on a slow store the seconds
    end it first.
    """

    conversations: int = 10_000
    turns: int = 131_072
    seconds: float = 6.0
    rows: int | None = None


FAR: Final = Bounds()


class _Missing(Enum):
    DELETED = "deleted meanwhile"
    UNREADABLE = "cannot be read"


@dataclass(frozen=True, slots=True)
class Newest:
    """Indexes, that of the newest conversation first, and how far this looked."""

    loaded: tuple[LoadedIndex, ...]
    searched: Searched

    def index(self) -> TurnIndex:
        """Return all of them as one, the newest last, as the turns of one are."""
        newest_last = reversed(self.loaded)
        return TurnIndex([part for one in newest_last for part in one.index.stretches])

    def named(self, conversation_id: str) -> LoadedIndex:
        """Return that of a conversation."""
        ids = (one.found.record.head.conversation_id for one in self.loaded)
        return self.loaded[list(ids).index(conversation_id)]


def load_newest(
    loader: IndexLoader,
    *,
    clock: Clock,
    window: TimeWindow,
    wanted: Callable[[ListedRow], bool] = lambda _: True,
    bounds: Bounds | None = None,
) -> Newest:
    """Load the newest conversations, within bounds of number, turns and time.

    One whose turns are all outside the window, or that is not wanted, is passed over: many are
    asked about at once. One that cannot be read is left out. What this process knows of a head as
    it is listed costs no request.

    Raises:
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    bounds = bounds or FAR
    budget = Budget(clock=clock, seconds=bounds.seconds)
    loaded: list[LoadedIndex] = []
    count = turns = unreadable = 0
    oldest_ns: int | None = None
    opened = open_rows(data=loader.data, derived=loader.derived, scope=loader.scope, clock=clock)
    with opened as walk, ThreadPoolExecutor(_WAVE) as executor:
        newest = islice(walk.newest_first(), bounds.rows)
        rows = _wanted((row for row in newest if _may_hold(row, window)), wanted, executor)
        wave: Sequence[ListedRow] = list(islice(rows, _WAVE))
        while wave and not budget.is_over and count < bounds.conversations and turns < bounds.turns:
            tried = list(executor.map(lambda row: _load(loader, row), wave))
            found = [one for one in tried if isinstance(one, LoadedIndex)]
            loaded += found
            count += len(wave)
            turns += sum(len(one.index) for one in found)
            unreadable += tried.count(_Missing.UNREADABLE)
            oldest_ns = wave[-1].row.updated_ns
            wave = list(islice(rows, _WAVE))
        complete = not (wave or unreadable or walk.skipped)
    return Newest(tuple(loaded), Searched(len(loaded), turns, complete, oldest_ns))


def _wanted(
    rows: Iterator[ListedRow], wanted: Callable[[ListedRow], bool], executor: Executor
) -> Iterator[ListedRow]:
    while some := list(islice(rows, _WAVE)):
        yield from compress(some, executor.map(wanted, some))


def _may_hold(row: ListedRow, window: TimeWindow) -> bool:
    """Say whether a turn of the window may be there; one without a time is never inside."""
    too_old = window.since_ns is not None and row.newest_ns < window.since_ns
    return not too_old and (window.until_ns is None or row.oldest_ns < window.until_ns)


def _load(loader: IndexLoader, row: ListedRow) -> LoadedIndex | _Missing:
    conversation_id = row.row.conversation_id
    cached = loader.cached(conversation_id)
    if cached is not None and cached.found.etag == row.etag and cached.is_complete:
        return cached
    try:
        return read_whole(
            loader.load,
            store=loader.data,
            scope=loader.scope,
            conversation_id=conversation_id,
            known=cached.found if cached else None,
        )
    except NotFoundError:
        return _Missing.DELETED
    except CorruptRecordError:
        # For an operator to look at; it hides no other.
        return _Missing.UNREADABLE
