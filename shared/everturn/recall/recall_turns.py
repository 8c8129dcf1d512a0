"""Find the turns that a query asks for, in one conversation or in the newest ones of a scope.

Across conversations all turns are ranked together, as one thread. A session ends where a
conversation does.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import read_whole
from everturn.errors import CorruptRecordError, GoneError, InvalidRequestError, NotFoundError
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import IndexLoader, Work
from everturn.recall.index.load_newest import load_newest
from everturn.recall.index.recall_request import Recalled, RecallRequest, Searched
from everturn.recall.rank_query import (
    BLANK_QUERY,
    is_blank_query,
    rank_query,
    read_hits,
    reason_for,
)
from everturn.values.keys import Scope, valid_id


def recall_turns(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    embedder: EmbedderChoice,
    indexes: IndexCache,
    conversation_id: str,
    request: RecallRequest,
    work: Work | None = None,
) -> Recalled:
    """Return the turns that a query asks for, verbatim, best first.

    One request where nothing changed since this process's last recall, besides the segments of the
    hits; else one a chunk of 1,024 turns more, and one embedding for each new turn. A turn that was
    appended a moment ago is found.

    `work` is what a larger search has left, its own if there is none.

    Raises:
        InvalidRequestError: the id is wrong.
        NotFoundError, CorruptRecordError: as `read_live_record`.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    live = embedder.embedder
    loader = IndexLoader(data, derived, scope, live, indexes, work or Work.of(live, clock))
    cached = loader.cached(conversation_id)
    known = cached.found if cached else None
    # Held on to, it would be there beside the index that takes its place.
    del cached

    def read(found: StoredRecord) -> Recalled:
        if is_blank_query(request.query):
            return Recalled((), degraded=True, reason=BLANK_QUERY)
        loaded = loader.load(found)
        ranked = rank_query(loaded.index, request, loader.work.embedding)
        source = loader.source(found)
        hits = read_hits(ranked, request, lambda _, numbers: source.at(numbers))
        reason = reason_for(embedder, [loaded], loader.work.embedding)
        return Recalled(
            hits,
            filtered=ranked.picked.filtered,
            degraded=reason is not None,
            reason=reason,
            over_budget=ranked.picked.over_budget,
            embedded=loader.work.embedding.embedded,
        )

    return read_whole(
        read,
        store=data,
        scope=scope,
        conversation_id=conversation_id,
        known=known,
    )


_NOWHERE: Final = Searched(0, 0, complete=False)


def recall_across(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    clock: Clock,
    embedder: EmbedderChoice,
    indexes: IndexCache,
    request: RecallRequest,
    work: Work | None = None,
) -> Recalled:
    """Return the turns that a query asks for, best first, and how far this looked.

    A LIST a thousand conversations, a request for each looked at; `work` of a larger search.

    Raises:
        InvalidRequestError: `exclude_last` is asked for, which is of one conversation.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    if request.exclude_last:
        raise InvalidRequestError("a window is of one conversation", field="exclude_last")
    if is_blank_query(request.query):
        return Recalled((), degraded=True, reason=BLANK_QUERY, searched=_NOWHERE)
    live = embedder.embedder
    loader = IndexLoader(data, derived, scope, live, indexes, work or Work.of(live, clock))
    newest = load_newest(loader, clock=clock, window=request.window)
    ranked = rank_query(newest.index(), request, loader.work.embedding)
    hits = read_hits(
        ranked, request, lambda id_, numbers: turns_of(loader, newest.named(id_).found, numbers)
    )
    reason = reason_for(embedder, newest.loaded, loader.work.embedding)
    return Recalled(
        hits,
        filtered=ranked.picked.filtered,
        degraded=reason is not None,
        reason=reason,
        over_budget=ranked.picked.over_budget,
        embedded=loader.work.embedding.embedded,
        searched=newest.searched,
    )


def turns_of(
    loader: IndexLoader, found: StoredRecord, numbers: Sequence[int]
) -> Mapping[int, Turn | None]:
    """Read turns of one conversation; none where it is gone or cannot be read any more.

    Raises:
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    try:
        return loader.source(found).at(numbers)
    except CorruptRecordError:
        return {}
    except GoneError:
        # A segment went: a turn was redacted, or the conversation deleted, meanwhile.
        return _turns_now(loader, found, numbers)


def _turns_now(
    loader: IndexLoader, found: StoredRecord, numbers: Sequence[int]
) -> Mapping[int, Turn | None]:
    try:
        return read_whole(
            lambda now: loader.source(now).at(numbers),
            store=loader.data,
            scope=loader.scope,
            conversation_id=found.record.head.conversation_id,
            known=found,
        )
    except (NotFoundError, CorruptRecordError):
        return {}
