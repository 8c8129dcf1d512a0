"""Seal the oldest turns of a head that is about to be written: the segment first, then the head."""

from dataclasses import dataclass, field

from everturn.conversations.model.head import Head
from everturn.conversations.model.sealing import is_too_big, seal
from everturn.conversations.model.write_ring import WRITE_ID_BYTES, write_id
from everturn.conversations.segments import drop_segments, put_segments, read_segments
from everturn.errors import CorruptRecordError, GoneError
from everturn.ports.clock import Entropy
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import Scope


@dataclass(slots=True)
class SealTrail:
    """The segments that one call put, or may have put, and those that they took in."""

    put: list[str] = field(default_factory=list)
    taken_in: dict[str, int] = field(default_factory=dict)
    """With how often something had been taken back then."""


def seal_head(
    head: Head,
    trail: SealTrail,
    *,
    committed: int,
    edits: int,
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
    except (GoneError, CorruptRecordError):
        # Either the head has moved on, and will refuse this one. Or a segment was lost or broken:
        # readers are told, and that is no reason to take no more turns.
        newest = []
    own = write_id(entropy.token(WRITE_ID_BYTES))
    left, segments = seal(head, committed=committed, write_id=own, newest=next(iter(newest), None))
    trail.put += [segment.ref.name for segment in segments]
    if left.sealed and not left.sealed.names.issuperset(names):
        trail.taken_in |= dict.fromkeys(names, edits)
    put_segments(segments, store=store, scope=scope, conversation_id=id_)
    return left


def drop_unnamed(
    trail: SealTrail, head: Head, *, edits: int | None, store: ObjectStore, scope: Scope
) -> None:
    """Remove what a stored head does not name: of lost attempts, and what may hold something old.

    A name that a head gave up never comes back, and no attempt from before it can happen any more.
    But another program may have read that head, and write it: what was taken in is left to the
    sweep, unless something was taken back since.

    Args:
        trail: of the call.
        head: as it is stored now.
        edits: how often something was taken back by now; None where everything was.
        store: where segments lie.
        scope: whose conversation.
    """
    if not trail.put:
        return
    named = head.sealed.names if head.sealed else frozenset()
    stale = {name for name, before in trail.taken_in.items() if edits is None or before < edits}
    names = {*trail.put, *stale} - named
    drop_segments(names, store=store, scope=scope, conversation_id=head.conversation_id)
