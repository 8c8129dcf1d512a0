"""When the oldest turns of a head are sealed, and into which segments.

The bytes of turns are carried over as they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from everturn.conversations.model.encoded_turns import StoredTurn, join_run, newest_time, split_run
from everturn.conversations.model.head import Head, Record, parse_record, readable
from everturn.conversations.model.segment_refs import Sealed, SegmentRef, segment_name
from everturn.conversations.model.summary import title_of
from everturn.conversations.model.turn_identity import Follower
from everturn.errors import CorruptRecordError
from everturn.values.go_json import JsonValue, dumps

_NEXT, _CHECK = "next", "check"


@dataclass(frozen=True, slots=True)
class SealLimits:
    """Sizes of turns as they are stored, in bytes, and how many of them."""

    above_bytes: int
    """Up to here a conversation is one file."""
    tail_bytes: int
    tail_turns: int
    """The head keeps this many bytes and this many turns,"""
    max_tail_bytes: int
    """fewer turns where so many are above this, but one at least."""
    segment_bytes: int
    """A segment grows up to here; only a single turn may be longer."""


# A put of 256 KiB takes S3 little longer than one of 1 KiB; at 64 KiB a cold read stays one packet
# train. So each turn is written some hundred times while it is in the head, and then once more.
LIMITS = SealLimits(
    above_bytes=256 * 1_024,
    tail_bytes=64 * 1_024,
    tail_turns=32,
    max_tail_bytes=192 * 1_024,
    # Three times what is sealed at once: a head names 100 segments for 100,000 turns of 500 bytes,
    # in 10 KB, and a page out of the middle reads some four times what the head alone is.
    segment_bytes=640 * 1_024,
)


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment to be written."""

    ref: SegmentRef
    body: bytes


def is_too_big(head: Head) -> bool:
    """Say whether a head has to let go of turns."""
    return len(head.turns_json) > LIMITS.above_bytes


def seal(
    head: Head, *, committed: int, write_id: str, newest: Record | None = None
) -> tuple[Head, tuple[Segment, ...]]:
    """Return the head with its oldest turns sealed, and their segments; itself if it is small.

    Args:
        head: what is to be written.
        committed: how many turns stand in the store already; no other one is sealed.
        write_id: of this attempt, so that no other one names its segments alike.
        newest: the newest segment of the head; if both fit into one, its turns go into the first
            new segment too, and the head names it no longer.
    """
    if not is_too_big(head):
        return head, ()
    turns = split_run(head.turns_json)
    count = min(len(turns) - _tail_turns(turns), committed - head.first_turn)
    if count <= 0:
        return head, ()
    old = head.sealed or Sealed(())
    title = old.title or title_of(readable(head.first_turn, _values(turns[:count])))
    kept, sealed, first = old.segments, turns[:count], head.first_turn
    if newest is not None and _fits(newest, sealed):
        kept, first = kept[:-1], kept[-1].first
        sealed = [*split_run(newest.head.turns_json), *sealed]
    segments = tuple(_segments(head, first, sealed, turns[count], write_id))
    refs = (*kept, *(segment.ref for segment in segments))
    left = replace(head, turns_json=join_run(turns[count:]), sealed=Sealed(refs, title))
    return left, segments


def _fits(newest: Record, turns: Sequence[StoredTurn]) -> bool:
    size = sum(len(turn.encoded) for turn in turns)
    return len(newest.head.turns_json) + size <= LIMITS.segment_bytes


def make_segment(
    head: Head, first: int, turns: Sequence[StoredTurn], follower: Follower, write_id: str
) -> Segment:
    """Return one segment of a conversation.

    Args:
        head: of the conversation.
        first: the number of the first turn.
        turns: what it holds.
        follower: the turn that follows, by which its place is found again should another program
            drop what the head says of segments.
        write_id: of this attempt.
    """
    values = _values(turns)
    ref = SegmentRef(segment_name(first, first + len(turns) - 1, write_id), newest_time(values))
    check = ((_CHECK, dumps(follower.check)),) if follower.check else ()
    body = Head(
        head.conversation_id,
        turns_json=join_run(turns),
        updated_ns=head.updated_ns,
        foreign=((_NEXT, dumps(follower.ts)), *check),
    )
    return Segment(ref, body.encode())


def parse_segment(body: bytes, *, ref_name: str, conversation_id: str) -> Record:
    """Read a segment.

    Raises:
        CorruptRecordError: it holds other turns than its name says.
    """
    record = parse_record(body, name=conversation_id)
    ref = SegmentRef(ref_name, 0)
    if record.head.conversation_id != conversation_id or len(record.values) != ref.count:
        raise CorruptRecordError(
            f"a segment holds other turns than its name says conversation={conversation_id}"
        )
    return record


def follower_of(segment: Record) -> Follower:
    """Return what a segment says of the turn that followed it when it was written."""
    noted = dict(segment.head.foreign)
    ts, check = (split_run(noted.get(name, '""').encode()) for name in (_NEXT, _CHECK))
    return Follower(str(ts[0].value), str(check[0].value))


def _segments(
    head: Head, first: int, turns: Sequence[StoredTurn], following: StoredTurn, write_id: str
) -> Iterator[Segment]:
    start, size = 0, 0
    for index, turn in enumerate([*turns, following]):
        size += len(turn.encoded)
        if index > start and (index == len(turns) or size > LIMITS.segment_bytes):
            run, follower = turns[start:index], Follower.of(turn.value)
            yield make_segment(head, first + start, run, follower, write_id)
            start, size = index, len(turn.encoded)


def _tail_turns(turns: Sequence[StoredTurn]) -> int:
    kept = size = 0
    for turn in reversed(turns):
        size += len(turn.encoded)
        enough = kept >= LIMITS.tail_turns and size - len(turn.encoded) >= LIMITS.tail_bytes
        if kept and (enough or size > LIMITS.max_tail_bytes):
            break
        kept += 1
    return kept


def _values(turns: Sequence[StoredTurn]) -> list[JsonValue]:
    return [turn.value for turn in turns]
