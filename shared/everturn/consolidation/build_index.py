"""Build the side index of a long conversation before anybody recalls in it."""

from everturn.consolidation.outcome import INDEXED_TURNS
from everturn.conversations.read_record import StoredRecord
from everturn.conversations.read_segments import read_whole
from everturn.errors import NotFoundError
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.embed_rows import Embedding
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import IndexLoader, Work
from everturn.storage.budget import Budget
from everturn.values.keys import Scope, valid_id


def build_index(
    *,
    data: ObjectStore,
    derived: ObjectStore,
    scope: Scope,
    embedder: EmbedderChoice,
    indexes: IndexCache,
    conversation_id: str,
    budget: Budget,
) -> bool:
    """Index the turns of a conversation of `INDEXED_TURNS` or more, as far as the budget allows.

    Afterwards a process that never saw it reads its chunks and embeds the query alone. Where the
    conversation was deleted meanwhile, nothing of it stays. What was begun is kept, and the next
    call goes on with the rest.

    Args:
        data: where conversations lie.
        derived: where chunks lie.
        scope: whose conversation.
        embedder: the one that recalls use.
        indexes: what this process keeps.
        conversation_id: which conversation.
        budget: until when segments are opened and texts given to the model; texts count as reads.

    Returns:
        Whether nothing is left to do: also where there is no such conversation, or a short one.
        False where time ran out, the model did not answer, or a chunk could not be written.

    Raises:
        InvalidRequestError: the id is wrong.
        CorruptRecordError: the conversation cannot be read.
        AccessDeniedError, UnavailableError: the store does not answer.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    live = embedder.embedder
    # There is no query, so nothing has to be left of the time to ask for one.
    work = Work(budget, Embedding(live, budget, budget))
    loader = IndexLoader(data, derived, scope, live, indexes, work)
    cached = loader.cached(conversation_id)
    known = cached.found if cached else None
    # Held on to, it would be there beside the index that takes its place.
    del cached

    def build(found: StoredRecord) -> bool:
        if found.record.head.turn_count < INDEXED_TURNS:
            return True
        return not budget.is_over and loader.load(found).is_complete

    try:
        return read_whole(
            build, store=data, scope=scope, conversation_id=conversation_id, known=known
        )
    except NotFoundError:
        return True
