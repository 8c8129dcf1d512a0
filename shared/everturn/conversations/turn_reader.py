"""Turns of one conversation by their numbers, as one head names them.

The head's own are at hand; segments are read in parallel, and those read last stay parsed in this
process.
"""

from collections.abc import Iterable, Sequence

from everturn.conversations.model.head import Record
from everturn.conversations.model.segment_refs import SegmentRef
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.segments import read_segments
from everturn.ports.object_store import ObjectStore
from everturn.storage.lru_cache import BoundedCache
from everturn.values.go_json import JsonValue
from everturn.values.keys import Scope, segment_key


class TurnSource:
    """Reads the turns of a conversation as of one head."""

    def __init__(
        self,
        found: StoredRecord,
        *,
        data: ObjectStore,
        scope: Scope,
        segments: BoundedCache[Record],
    ) -> None:
        """Take the head, and where its segments lie."""
        self._found, self._data, self._scope, self._segments = found, data, scope, segments
        self._opened: dict[str, Record] = {}

    def holding(self, first: int, last: int) -> Sequence[SegmentRef]:
        """Return the segments that hold turns of a range, oldest first."""
        sealed = self._found.record.head.sealed
        return sealed.holding(first, last) if sealed else ()

    def open(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Read the segments that hold these ranges of numbers, at once.

        Raises:
            GoneError: one went meanwhile; read the head again.
            CorruptRecordError, AccessDeniedError, UnavailableError: one cannot be read.
        """
        names = [ref.name for first, last in ranges for ref in self.holding(first, last)]
        missing = [name for name in dict.fromkeys(names) if not self._known(name)]
        id_ = self._found.record.head.conversation_id
        read = read_segments(
            store=self._data, scope=self._scope, conversation_id=id_, names=missing
        )
        for name, record in zip(missing, read, strict=True):
            self._opened[name] = record
            size = len(record.head.turns_json)
            self._segments.keep(segment_key(self._scope, id_, name), record, size)

    def turns(self, first: int, last: int) -> list[Turn | None]:
        """Return the turns of a range; None for one that cannot be read. As `open` otherwise."""
        self.open([(first, last)])
        values: list[JsonValue] = []
        for ref in self.holding(first, last):
            held = self._opened[ref.name].values
            values += held[max(first - ref.first, 0) : last + 1 - ref.first]
        own, tail = self._found.record.head.first_turn, self._found.record.values
        if last >= own:
            values += tail[max(first - own, 0) : last + 1 - own]
        return [readable_turn(number, value) for number, value in enumerate(values, first)]

    def at(self, numbers: Sequence[int]) -> dict[int, Turn | None]:
        """Return turns by their numbers; None for one that is not there. As `open` otherwise."""
        self.open((number, number) for number in numbers)
        return {number: next(iter(self.turns(number, number)), None) for number in numbers}

    def close(self) -> None:
        """Let go of what was read; the cache keeps what was read last."""
        self._opened.clear()

    def _known(self, name: str) -> bool:
        if name not in self._opened:
            key = segment_key(self._scope, self._found.record.head.conversation_id, name)
            record = self._segments.get(key)
            if record is not None:
                self._opened[name] = record
        return name in self._opened
