"""Read turns of themes: those that stand for one, and those that spell its terms."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.conversations.turn_reader import TurnSource
from everturn.errors import CorruptRecordError, GoneError
from everturn.recall.index.recall_request import Hit
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.language.terms import hash_of_text, matchable_text
from everturn.recall.themes.clusters import Group
from everturn.recall.themes.theme_terms import Spellings
from everturn.storage.budget import Budget

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
