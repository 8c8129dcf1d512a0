"""Find the conversations whose newest turns nobody consolidates any more, and offer their jobs.

Heads and watermarks are listed side by side. The listings tell times alone, so a pair is opened
when it came to an hour's rest since the last complete pass, for until then its own job may be on
its way, and once a day where its head was written after its watermark, or has none. One that was
found behind is opened by every pass until it is not, for a watermark that was written last may have
been left by a job that ended half-way. A watermark that no head stands beside, nor a tombstone, is
left of what was removed: after a day it goes.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from everturn.consolidation.enqueue_job import JobOffers
from everturn.conversations.read_record import read_record
from everturn.conversations.read_watermark import read_watermark
from everturn.errors import (
    CorruptRecordError,
    GoneError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.ports.object_store import Entry
from everturn.upkeep.sweep_head import Broom
from everturn.upkeep.sweep_pass import DAY_NS, HOUR_NS, SweepPass
from everturn.upkeep.sweep_tasks import Due, Swept, Task
from everturn.values.keys import HEADS_PREFIX, Scope, Token, conversation_of

_REST_NS: Final = HOUR_NS
Pair = tuple[Entry | None, Entry | None]
"""A head and a watermark of one conversation, as they were listed."""


def tails_due(going: SweepPass, broom: Broom) -> Due:
    """Return what to open or remove of the next page of heads and that of watermarks.

    Keys are those of watermarks, whatever is there: the two listings have the same order.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    heads = broom.data.list(HEADS_PREFIX, start_after=_twin("c", going.after))
    marks = broom.data.list("w/", start_after=going.after)
    ends = [_twin("w", page.keys[-1]) for page in (heads, marks) if page.more]
    until = min(ends, default=None)
    listed = {"c": {_twin("w", entry.key): entry for entry in heads.entries}}
    listed["w"] = {entry.key: entry for entry in marks.entries}
    behind = {key for key in going.behind if key > going.after}
    pairs = {
        key: (listed["c"].get(key), listed["w"].get(key))
        for key in sorted(listed["c"].keys() | listed["w"].keys() | behind)
        if until is None or key <= until
    }
    return Due(tuple(_tasks(going, broom, pairs)), until, reads=2)


def _twin(kind: str, key: str) -> str:
    """Return the key of the other file of a conversation; "" is before all keys of either."""
    return kind + key[1:] if key else ""


def _tasks(going: SweepPass, broom: Broom, pairs: dict[str, Pair]) -> Iterator[Task]:
    for key, (head, mark) in pairs.items():
        whose = conversation_of(key)
        if whose is None:
            continue
        if head is None:
            if mark is not None and mark.modified_ns + DAY_NS <= going.started_ns:
                yield Task(partial(_drop, broom, mark), key)
            elif key in going.behind:
                # It is gone: nothing is to be done but to forget it.
                yield Task(Swept, key)
        elif broom.offers is not None and _may_be_stranded(going, key, head, mark):
            of = key if mark else None
            yield Task(partial(_look, broom, broom.offers, whose, mark_key=of), key)


def _may_be_stranded(going: SweepPass, key: str, head: Entry, mark: Entry | None) -> bool:
    written_ns = max(head.modified_ns, mark.modified_ns if mark else 0)
    if written_ns + _REST_NS > going.started_ns:
        return False
    # Times of S3 are whole seconds: of two writes in one second nobody knows which came first.
    is_unread = mark is None or mark.modified_ns <= head.modified_ns
    is_its_day = (is_unread or going.is_crowded) and going.came_round(written_ns)
    is_remembered = key in going.again or key in going.behind
    return is_its_day or is_remembered or going.reached(written_ns, _REST_NS)


def _drop(broom: Broom, mark: Entry) -> Swept:
    try:
        broom.data.delete(mark.key, expect=mark.etag)
    except (PreconditionFailedError, GoneError):
        # Somebody consolidates what was created anew, or another sweep was faster.
        return Swept()
    except (StoreError, UnavailableError):
        return Swept(failed=1)
    return Swept(watermarks=1)


def _look(
    broom: Broom, offers: JobOffers, whose: tuple[Scope, Token], *, mark_key: str | None
) -> Swept:
    """Offer the job of a conversation that is behind; one or two reads."""
    scope, token = whose
    try:
        found = read_record(store=broom.data, scope=scope, conversation_id=token)
        read = 0
        if found is not None and mark_key is not None:
            stored = read_watermark(store=broom.data, key=mark_key, conversation_id=token)
            read = stored.mark.turns
    except CorruptRecordError:
        # Nobody can consolidate it; the stage of heads counts it.
        return Swept(heads_read=1)
    except (StoreError, UnavailableError):
        return Swept(heads_read=1, failed=1)
    head = None if found is None else found.record.head
    if head is None or head.deleted is not None or head.turn_count <= read:
        return Swept(heads_read=1)
    # The id as it is: a key may hold a hash of it. Of the scope a job knows the hashes as well.
    offer = offers.offer_now(scope, head.conversation_id)
    if offer.queued or offer.marked:
        return Swept(heads_read=1, offered_tails=1)
    return Swept(heads_read=1, failed=1)
