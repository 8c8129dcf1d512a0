"""Find the themes of the newest conversations of a scope: groups of turns, named by their words.

No model is needed: without a semantic one, turns are grouped by their words.

For each theme two kinds of turns are read: examples of it, and turns that spell its terms.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from everturn.conversations.model.turn import Turn
from everturn.conversations.turn_reader import TurnSource
from everturn.errors import CorruptRecordError, GoneError
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import IndexLoader, Work
from everturn.recall.index.load_newest import Bounds, load_newest
from everturn.recall.index.recall_request import Hit, Searched
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.index.turn_rows import NO_TIME
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.recall.rank_query import reason_for
from everturn.recall.themes.clusters import Group, Spellings, group_turns, newest_rows
from everturn.storage.budget import Budget
from everturn.values.keys import Scope
from everturn.values.timestamps import TimeWindow

_EXAMPLES: Final = 3
# Where a turn was taken back meanwhile the next one stands in, so many times.
_ROUNDS: Final = 3
# Each may lie in a segment of its own, which takes some 2 MiB when parsed.
_BATCH: Final = 16
# Taken back meanwhile, or for an operator to look at: other turns say the same.
_UNREADABLE: Final = (GoneError, CorruptRecordError)


@dataclass(frozen=True, slots=True)
class ExampleReader:
    """Reads turns of an index that lie scattered over its conversations, as they are now.

    Left out are turns that cannot be read, are redacted, or say something else by now, and, when
    time is up, those that were not read by then.
    """

    index: TurnIndex
    source_of: Callable[[str], TurnSource]
    budget: Budget

    def examples(self, groups: Sequence[Group]) -> list[tuple[Hit, ...]]:
        """Return for each group the turns nearest to its centre, of distinct texts.

        Raises:
            AccessDeniedError, UnavailableError: the store does not answer.
        """
        left = [group.distinct(self.index) for group in groups]
        found: list[list[Hit]] = [[] for _ in groups]
        for _ in range(_ROUNDS):
            tried = [
                places[: _EXAMPLES - len(hits)] for places, hits in zip(left, found, strict=True)
            ]
            left = [places[len(some) :] for places, some in zip(left, tried, strict=True)]
            rows = [group.rows[some] for group, some in zip(groups, tried, strict=True)]
            turns = dict(self.turns({int(row) for some in rows for row in some}))
            for group, places, hits in zip(groups, tried, found, strict=True):
                hits.extend(self._hits(group, places, turns))
        return [tuple(hits) for hits in found]

    def spellings(self, groups: Sequence[Group]) -> Spellings:
        """Return how the terms of groups are spelled; raises as `examples`."""
        spellings = Spellings({term for group in groups for term in group.terms})
        rows = {int(row) for group in groups for row in group.spelled_in}
        for _, turn in self.turns(rows):
            spellings.add(turn.text)
        return spellings

    def turns(self, rows: Collection[int]) -> Iterator[tuple[int, Turn]]:
        """Yield rows with their turns, by conversation and number; raises as `examples`."""
        by_owner: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for row in sorted(rows):
            conversation_id, number = self.index.place(row)
            by_owner[conversation_id].append((row, number))
        for conversation_id, places in by_owner.items():
            source = self.source_of(conversation_id)
            for start in range(0, len(places), _BATCH):
                yield from self._batch(source, places[start : start + _BATCH])

    def _batch(
        self, source: TurnSource, places: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, Turn]]:
        if self.budget.is_over:
            return
        with suppress(*_UNREADABLE):  # those that can be read are read one by one then
            source.open((number, number) for _, number in places)
        turns = [_turn(source, number) for _, number in places]
        source.close()
        for (row, _), turn in zip(places, turns, strict=True):
            if turn is not None and _is_as_known(turn, int(self.index.hashes[row])):
                yield row, turn

    def _hits(self, group: Group, places: Sequence[int], turns: dict[int, Turn]) -> Iterator[Hit]:
        for place in places:
            row = int(group.rows[place])
            if row in turns:
                score = max(float(group.cosines[place]), 0.0)
                yield Hit(self.index.place(row)[0], turns[row], score)


def _turn(source: TurnSource, number: int) -> Turn | None:
    try:
        return source.turns(number, number)[0]
    except _UNREADABLE:
        return None


def _is_as_known(turn: Turn, known: int) -> bool:
    is_redacted = turn.value.get("redacted") is True
    return not is_redacted and hash_of_text(matchable_text(turn.text)) == known


@dataclass(frozen=True, slots=True)
class Theme:
    """Turns that are about the same.

    `terms` are the words that tell it from the others, the most telling first; `share` its part of
    all turns with a theme, above 0 to 1; `since_ns` and `until_ns` the times of its oldest and its
    newest turn, None where no turn has one; `hits` turns that stand for it, verbatim, the nearest
    to its centre first, and their scores the cosine with that, 0 to 1.
    """

    terms: tuple[str, ...]
    share: float
    since_ns: int | None
    until_ns: int | None
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Themes:
    """Themes, the biggest first, whose shares add up to 1; none where there are no turns.

    `searched` says how far they were looked for, `degraded` that a lane was missing or turns were
    not looked at yet, and `reason` why.
    """

    themes: tuple[Theme, ...]
    searched: Searched
    degraded: bool = False
    reason: str | None = None


_BOUNDS: Final = Bounds(conversations=256, turns=32_768)
"""Themes are of the newest 4,096 turns: what is older is not read for them."""
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
    newest = load_newest(loader, clock=clock, window=window, bounds=_BOUNDS)
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
