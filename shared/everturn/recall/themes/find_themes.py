"""Find what the newest conversations of a scope are about: groups of turns, named by their words.

No model is needed: without one that is semantic, turns are grouped by their words.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import IndexLoader, Work
from everturn.recall.index.load_newest import load_newest
from everturn.recall.index.recall_request import Searched
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.index.turn_rows import NO_TIME
from everturn.recall.rank_query import reason_for
from everturn.recall.themes.clusters import Group, group_turns, newest_rows
from everturn.recall.themes.read_examples import ExampleReader
from everturn.recall.themes.theme import Theme, Themes
from everturn.storage.budget import Budget
from everturn.values.keys import Scope
from everturn.values.time_window import TimeWindow

_TERMS: Final = 5
# A request ends within 20 s, and loading the indexes may have taken most of them.
_READING_S: Final = 3.0


def find_themes(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    embedder: EmbedderChoice,
    indexes: IndexCache,
    window: TimeWindow,
    k: int | None,
) -> Themes:
    """Return what the turns of a window are about, the biggest theme first.

    The newest 4,096 turns of the newest conversations are grouped; the same turns give the same
    themes on every machine. Requests are those of a recall across conversations, and one for each
    segment that holds a turn which is shown or spells a term.

    Args:
        data: where conversations lie.
        derived: where their indexes lie.
        scope: whose.
        clock: bounds the time that this takes.
        embedder: the live one.
        indexes: what this process keeps.
        window: turns outside it do not count.
        k: how many themes, at least 1, fewer where fewer turns differ; None for 2 to 8, by the
            number of turns.

    Raises:
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    live = embedder.embedder
    loader = IndexLoader(data, derived, scope, live, indexes, Work.of(live, clock))
    newest = load_newest(loader, clock=clock, window=window)
    index = newest.index()
    at, are_all = newest_rows(index, window)
    groups = group_turns(index, at, k)
    reader = ExampleReader(
        index,
        lambda id_: loader.source(newest.named(id_).found),
        Budget(clock=clock, seconds=_READING_S),
    )
    reason = reason_for(embedder, newest.loaded, loader.work.embedding)
    searched = newest.searched if are_all else _cut_short(newest.searched, index.times[at])
    return Themes(_themes(index, groups, reader), searched, reason is not None, reason)


def _cut_short(searched: Searched, times: NDArray[np.int64]) -> Searched:
    """Return how far only these turns reach, given by their times."""
    oldest_ns = int(times.min())
    known = searched.oldest_ns if oldest_ns == NO_TIME else oldest_ns
    return replace(searched, turns=len(times), complete=False, oldest_ns=known)


def _themes(index: TurnIndex, groups: list[Group], reader: ExampleReader) -> tuple[Theme, ...]:
    examples = reader.examples(groups)
    spellings = reader.spellings(groups)
    total = sum(len(group.rows) for group in groups)
    return tuple(
        Theme(
            spellings.words(group.terms, _TERMS),
            len(group.rows) / total,
            *group.times(index),
            hits,
        )
        for group, hits in zip(groups, examples, strict=True)
    )
