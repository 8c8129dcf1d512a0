"""Find the turns that a query asks for in the newest conversations of a scope.

All turns are ranked together, as if they were one thread: a session ends where a conversation does.
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
from everturn.recall.rank_query import BLANK_QUERY, is_blank_query, rank_query, reason_for
from everturn.recall.read_hits import read_hits
from everturn.values.keys import Scope

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
