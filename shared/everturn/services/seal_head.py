"""Seal the oldest turns of a head that is about to be written: the segment first, then the head.

Not here: which turns (domain/sealing.py), writing the head (services/append_turns.py).
"""

from dataclasses import dataclass, field

from everturn.domain.head import Head
from everturn.domain.keys import Scope
from everturn.domain.sealing import is_too_big, seal
from everturn.domain.write_ring import WRITE_ID_BYTES, write_id
from everturn.errors import GoneError
from everturn.ports.clock import Entropy
from everturn.ports.object_store import ObjectStore
from everturn.services.segment_files import drop_segments, put_segments, read_segments


@dataclass(slots=True)
class SealTrail:
    """The segments that one call put, or may have put, and those whose turns they took in."""

    put: list[str] = field(default_factory=list)
    taken_in: dict[str, str] = field(default_factory=dict)
    """Names that a head gave up, by the names that it has instead if it was written."""


def seal_head(
    head: Head,
    trail: SealTrail,
    *,
    committed: int,
    store: ObjectStore,
    entropy: Entropy,
    scope: Scope,
) -> Head:
    """Return the head to be written, its oldest turns in segments; itself if it is small.

    The newest segment is written anew together with them as long as both fit into one, so that a
    head names few segments however long its thread is.

    Raises:
        PreconditionFailedError, OutcomeUnknownError, UnavailableError: as `put_segments`.
    """
    if not is_too_big(head):
        return head
    id_ = head.conversation_id
    names = [head.sealed.segments[-1].name] if head.sealed else []
    try:
        newest = read_segments(store=store, scope=scope, conversation_id=id_, names=names)
    except GoneError:
        # Either the head has moved on, and will refuse this one. Or a segment was lost: readers are
        # told, and that is no reason to take no more turns.
        newest = []
    own = write_id(entropy.token(WRITE_ID_BYTES))
    left, segments = seal(head, committed=committed, write_id=own, newest=next(iter(newest), None))
    trail.put += [segment.ref.name for segment in segments]
    if left.sealed and not left.sealed.names.issuperset(names):
        trail.taken_in[segments[0].ref.name] = names[0]
    put_segments(segments, store=store, scope=scope, conversation_id=id_)
    return left


def drop_taken_in(trail: SealTrail, head: Head, *, store: ObjectStore, scope: Scope) -> None:
    """Remove the segments that a stored head gave up for one of ours."""
    if not trail.taken_in or head.sealed is None:
        return
    named = head.sealed.names
    names = [old for new, old in trail.taken_in.items() if new in named]
    drop_segments(names, store=store, scope=scope, conversation_id=head.conversation_id)


def drop_put(trail: SealTrail, conversation_id: str, *, store: ObjectStore, scope: Scope) -> None:
    """Remove what was put for a head that is gone: none can name it any more."""
    drop_segments(trail.put, store=store, scope=scope, conversation_id=conversation_id)
