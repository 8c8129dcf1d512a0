"""Build all that an agent should know before it answers: one text under one budget."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from everturn.conversations.model.turn import Turn
from everturn.conversations.read_conversation import MAX_ANSWER_BYTES, read_turns
from everturn.errors import NotFoundError
from everturn.memory.model.retrieve_request import (
    ContextRequest,
    Retrieved,
    RetrieveRequest,
    Snippet,
)
from everturn.prompts.context_block import (
    RECENT_TURNS,
    BuiltContext,
    ContextBlock,
    ContextParts,
    context_block,
)
from everturn.prompts.find_pending_turns import list_watermarks
from everturn.prompts.find_procedures import Procedure, find_procedures
from everturn.prompts.read_pinned import Pinned, read_pinned
from everturn.prompts.retrieve_memories import retrieve
from everturn.prompts.search_parts import SearchParts
from everturn.prompts.turn_line import turn_line
from everturn.recall.index.recall_request import Hit, Recalled, RecallRequest
from everturn.recall.recall_turns import recall_across, recall_turns

# More than fit: what is said elsewhere in the text falls out.
_MEMORIES: Final = 24
_HITS: Final = 12
# Lines are cut and fitted where the text is made (prompts/context_block.py).
_ANY_SIZE: Final = 2**40

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a context, nothing twice."""

    pinned: Pinned
    retrieved: Retrieved
    procedures: Sequence[Procedure]
    recalled: Recalled
    recent: Sequence[Turn]
    window: Sequence[tuple[str, int]]
    """The newest turns of the conversation: those in `recent`, and those that the caller has."""

    @property
    def hits(self) -> Sequence[Hit]:
        """Turns that are not among the newest."""
        return [hit for hit in self.recalled.hits if _place(hit) not in self.window]

    @property
    def snippets(self) -> Sequence[Snippet]:
        """Memories that are no procedures, and turns that stand nowhere else.

        One that is pinned may be too long to be shown there; else its line is not said again.
        """
        uris = {procedure.memory.uri for procedure in self.procedures}
        places = {*self.window, *map(_place, self.hits)}
        return [
            snippet
            for snippet in self.retrieved.snippets
            if snippet.uri not in uris and snippet.place not in places
        ]

    @property
    def reason(self) -> str | None:
        """Why something may be missing."""
        reasons = (self.retrieved.reason, self.recalled.reason, self.pinned.reason)
        return next((reason for reason in reasons if reason), None)


def build_context(
    parts: SearchParts,
    request: ContextRequest,
    *,
    identity: str = "",
    rules: tuple[str, ...] = (),
) -> BuiltContext:
    """Return a context: pinned, memories, patterns, recalled and recent turns, nothing twice.

    An unknown conversation has no turns yet: the first prompt of one needs a context too.

    Raises:
        AccessDeniedError, UnavailableError: the store does not answer.
        CorruptRecordError: the conversation cannot be read.
    """
    found = _found(parts, request, identity, rules)
    block = context_block(
        ContextParts(
            found.pinned.parts,
            memories=tuple(snippet.text for snippet in found.snippets),
            patterns=tuple(procedure.text for procedure in found.procedures),
            recalled=tuple(turn_line(hit.turn) for hit in found.hits),
            recent=tuple(map(turn_line, found.recent)),
        ),
        request.budget_tokens,
    )
    return _built(found, block, embedded=parts.work.embedding.embedded)


def _found(
    parts: SearchParts, request: ContextRequest, identity: str, rules: tuple[str, ...]
) -> _Found:
    with ThreadPoolExecutor(1) as executor:
        reading = executor.submit(_newest, parts, request)
        watermarks = list_watermarks(parts)
        # Once for all parts: they tell of one moment, and a request ends in time.
        loaded = parts.memory_loader().load()
        newest = reading.result()
    shown = newest[: max(len(newest) - request.exclude_last, 0)][-RECENT_TURNS:]
    id_ = request.conversation_id or ""
    pinned = read_pinned(
        store=parts.data,
        derived=parts.derived,
        scope=parts.scope,
        clock=parts.clock,
        cache=parts.memories,
        identity=identity,
        rules=rules,
        goal=request.goal,
        loaded=loaded.rows,
    )
    asked = RetrieveRequest(
        request.query,
        top_k=_MEMORIES + len(pinned.rids),
        budget_tokens=_ANY_SIZE,
        related_only=True,
    )
    return _Found(
        pinned,
        retrieve(parts, asked, loaded=loaded, watermarks=watermarks),
        find_procedures(
            parts,
            goal=request.goal or request.query,
            budget_tokens=request.budget_tokens,
            loaded=loaded,
        ),
        _recalled(parts, request, window=len(newest)),
        shown,
        [(id_, turn.index) for turn in newest],
    )


def _newest(parts: SearchParts, request: ContextRequest) -> Sequence[Turn]:
    """Return the turns that the caller has, and those shown before them, oldest first."""
    if request.conversation_id is None:
        return ()
    # No answer holds as many turns as bytes, and nobody counts to any number that JSON can say.
    last = min(RECENT_TURNS + request.exclude_last, MAX_ANSWER_BYTES)
    try:
        page = read_turns(
            store=parts.data,
            scope=parts.scope,
            conversation_id=request.conversation_id,
            last=last,
        )
    except NotFoundError:
        return ()
    return page.turns


def _recalled(parts: SearchParts, request: ContextRequest, *, window: int) -> Recalled:
    asked = RecallRequest(request.query, top_k=_HITS, budget_tokens=_ANY_SIZE)
    if request.conversation_id is None:
        return recall_across(
            data=parts.data,
            derived=parts.derived,
            scope=parts.scope,
            clock=parts.clock,
            embedder=parts.embedder,
            indexes=parts.indexes,
            request=asked,
            work=parts.work,
        )
    try:
        return recall_turns(
            data=parts.data,
            derived=parts.derived,
            scope=parts.scope,
            clock=parts.clock,
            embedder=parts.embedder,
            indexes=parts.indexes,
            conversation_id=request.conversation_id,
            request=replace(asked, exclude_last=max(window, request.exclude_last)),
            work=parts.work,
        )
    except NotFoundError:
        return Recalled(())


def _built(found: _Found, block: ContextBlock, *, embedded: int) -> BuiltContext:
    shown = block.shown
    return BuiltContext(
        block.text,
        block.tokens,
        block.pinned,
        memories=_chosen(found.snippets, shown["memories"]),
        patterns=tuple(one.memory for one in _chosen(found.procedures, shown["patterns"])),
        recalled=_chosen(found.hits, shown["recalled"]),
        recent=_chosen(found.recent, shown["recent"]),
        pending_turns=found.retrieved.pending_turns,
        degraded=found.reason is not None,
        reason=found.reason,
        embedded=embedded,
    )


def _chosen(items: Sequence[Item], shown: Iterable[int]) -> tuple[Item, ...]:
    return tuple(items[at] for at in shown)


def _place(hit: Hit) -> tuple[str, int]:
    return hit.conversation_id, hit.turn.index
