"""Read the turns around a conversation's watermark: those just before it, and the next ones."""

from collections.abc import Mapping
from dataclasses import dataclass

from everturn.conversations.model.extraction_window import (
    CONTEXT_TURNS,
    MAX_TURNS,
    Window,
    window_of,
)
from everturn.conversations.model.watermark import Watermark
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import turns_at
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns as they are stored, from number `first` on; at most 50 after the watermark.

    `mark` is the watermark as it is for these turns: further back where turns were taken back.
    """

    found: StoredRecord
    mark: Watermark
    first: int
    values: tuple[JsonValue, ...]

    @property
    def turn_count(self) -> int:
        """How many turns the conversation has."""
        return self.found.record.head.turn_count

    @property
    def is_behind(self) -> bool:
        """Whether there are turns after the watermark."""
        return self.lag > 0

    @property
    def lag(self) -> int:
        """How many turns there are after the watermark."""
        return max(self.turn_count - self.mark.turns, 0)

    @property
    def new(self) -> tuple[JsonValue, ...]:
        """The turns after the watermark."""
        return self.values[self.mark.turns - self.first :]

    @property
    def by_number(self) -> Mapping[int, JsonValue]:
        """All of them by their numbers."""
        return dict(enumerate(self.values, self.first))

    def window(self) -> Window:
        """Return the next window, as large as the watermark lets it be."""
        id_, begin = self.found.record.head.conversation_id, self.mark.turns
        end = min(begin + self.mark.size, self.first + len(self.values))
        return window_of(id_, self.values, first=self.first, begin=begin, end=end)


def read_stretch(
    found: StoredRecord, mark: Watermark, *, store: ObjectStore, scope: Scope
) -> Stretch:
    """Read the turns that a watermark covers last, and those after it.

    No request where they all are in the head; else one for each segment that holds some.

    Raises:
        GoneError: a segment went meanwhile; read the head again.
        CorruptRecordError, AccessDeniedError, UnavailableError: one cannot be read.
    """
    if mark.turns > found.record.head.turn_count and not mark.hashes:
        # Nothing tells which turns it means: all are read again, and a source counts once.
        mark = Watermark(mark.conversation_id)
    stretch = _read(found, mark, store, scope)
    held = mark.held_by(stretch.values[mark.first - stretch.first :])
    return stretch if held == mark else _read(found, held, store, scope)


def _read(found: StoredRecord, mark: Watermark, store: ObjectStore, scope: Scope) -> Stretch:
    known = mark.first if mark.hashes else mark.turns
    first = max(min(known, mark.turns - CONTEXT_TURNS), 0)
    count = mark.turns + MAX_TURNS - first
    values = turns_at(found, store=store, scope=scope, first=first, count=count)
    return Stretch(found, mark, first, tuple(values))
