"""/v1/memories and below: remember, list, read, correct, pin, forget."""

from everturn.edge.memory_function import MemoryEdge
from everturn.edge.memory_requests import CorrectBody, Kind, RememberBody, Rid
from everturn.edge.requests import Flag, IdempotencyKey, Limit, Word
from everturn.edge.responses import memories as answers
from everturn.edge.responses.base import Answer
from everturn.memory.change_memory import change_memory, forget
from everturn.memory.read_memory import list_memories, read_memory
from everturn.memory.remember_memory import remember

EDGE = MemoryEdge()


@EDGE.app.post("/v1/memories")
def post(body: RememberBody, key: IdempotencyKey = None) -> Answer:
    """Remember something; what is known already is reinforced."""
    outcome = remember(**EDGE.remembering, **body.wanted(key))
    EDGE.count(memories_created=outcome.created, memories_reinforced=not outcome.created)
    return answers.remembered(outcome)


@EDGE.app.get("/v1/memories")
def list_(kind: Kind = None, superseded: Flag = None, limit: Limit = None,
          cursor: Word = None) -> Answer:  # fmt: skip
    """List one page of the caller's memories."""
    page = list_memories(**EDGE.browsing, kind=kind, superseded=superseded is True,
                         limit=limit, cursor=cursor)  # fmt: skip
    EDGE.count(memories_skipped=page.skipped)
    return answers.memories_listed(page)


@EDGE.app.get("/v1/memories/<rid>")
def get(rid: Rid) -> Answer:
    """Read a memory with its history."""
    return answers.memory_read(read_memory(**EDGE.browsing, rid=rid))


@EDGE.app.patch("/v1/memories/<rid>")
def patch(rid: Rid, body: CorrectBody, key: IdempotencyKey = None) -> Answer:
    """Correct a memory, pin it or weigh it."""
    outcome = change_memory(**EDGE.changing, rid=rid, **body.wanted(key))
    EDGE.count(memories_corrected=outcome.superseded is not None)
    return answers.memory_changed(outcome)


@EDGE.app.delete("/v1/memories/<rid>")
def delete(rid: Rid) -> Answer:
    """Forget a memory for good."""
    outcome = forget(**EDGE.remembering, rid=rid)
    EDGE.count(memories_forgotten=outcome.memories)
    return answers.memory_forgotten(outcome, EDGE.kept)


handler = EDGE.handler
