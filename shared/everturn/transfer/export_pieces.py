"""A conversation for an export: in one piece where it fits, else as runs of turns."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from everturn.conversations.model.encoded_turns import StoredTurn, join_run, split_run
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import sealed_runs
from everturn.conversations.segments import read_segments
from everturn.ports.object_store import ObjectStore
from everturn.transfer.export_lines import one_line, record_line
from everturn.values.keys import Scope

# A third of a page: the rest of a page that no piece fits into is small.
MAX_PIECE_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True)
class Piece:
    """Turns in order, the first of which has the number `first`; the last piece ends the file."""

    first: int
    turns_json: bytes
    is_last: bool = False


def whole_line(
    found: StoredRecord, *, store: ObjectStore, scope: Scope, max_bytes: int
) -> str | None:
    """Return the conversation in one line, None where that is longer than `max_bytes`.

    Raises:
        GoneError, CorruptRecordError: as `read_segments`.
    """
    head, size = found.record.head, len(found.body)
    if head.sealed is None:
        return one_line(found.body.decode("utf-8-sig")) if size <= max_bytes else None
    runs: list[bytes] = []
    for run in sealed_runs(found, store=store, scope=scope):
        size += len(run)
        if size > max_bytes:
            return None
        runs.append(run)
    return record_line(head, b",".join([*runs, head.turns_json] if head.turns_json else runs), 0)


def pieces_from(
    first: int, found: StoredRecord, *, store: ObjectStore, scope: Scope
) -> Iterator[Piece]:
    """Yield the turns from a number on, at most a mebibyte or one turn at a time; at least one.

    Raises:
        GoneError, CorruptRecordError: as `read_segments`.
    """
    head = found.record.head
    id_ = head.conversation_id
    for ref in head.sealed.holding(first, head.turn_count) if head.sealed else ():
        segment = read_segments(store=store, scope=scope, conversation_id=id_, names=[ref.name])[0]
        yield from _cut(ref.first, segment.head.turns_json, first)
    tail = list(_cut(head.first_turn, head.turns_json, first))
    yield from tail[:-1]
    last = tail[-1] if tail else Piece(max(first, head.turn_count), b"")
    yield replace(last, is_last=True)


def _cut(start: int, run: bytes, first: int) -> Iterator[Piece]:
    """Cut a run that begins with turn `start`, and leave out the turns before `first`."""
    if start >= first and len(run) <= MAX_PIECE_BYTES:
        if run:
            yield Piece(start, run)
        return
    number, size = start, 0
    taken: list[StoredTurn] = []
    for number, turn in enumerate(split_run(run), start):
        if number < first:
            continue
        if taken and size + len(turn.encoded) > MAX_PIECE_BYTES:
            yield Piece(number - len(taken), join_run(taken))
            taken, size = [], 0
        taken.append(turn)
        size += len(turn.encoded) + 1
    if taken:
        yield Piece(number + 1 - len(taken), join_run(taken))
