"""/v1/memories/{rid}/outcomes and /promote: how following a pattern went, and what it becomes."""

from everturn.edge.memory_function import MemoryEdge
from everturn.edge.memory_requests import OutcomeBody, PromoteBody, Rid
from everturn.edge.requests import IdempotencyKey
from everturn.edge.responses import memories as answers
from everturn.edge.responses.base import Answer
from everturn.memory.change_memory import promote, record_outcome

EDGE = MemoryEdge()


@EDGE.app.post("/v1/memories/<rid>/outcomes")
def outcomes(rid: Rid, body: OutcomeBody, key: IdempotencyKey = None) -> Answer:
    """Note how following a pattern went."""
    outcome = record_outcome(**EDGE.changing, rid=rid, **body.wanted(key))
    EDGE.count(outcomes=1)
    return answers.memory_changed(outcome)


@EDGE.app.post("/v1/memories/<rid>/promote")
def promote_(rid: Rid, body: PromoteBody) -> Answer:
    """Make a skill of a proven pattern."""
    del body
    outcome = promote(**EDGE.changing, rid=rid)
    EDGE.count(promoted=1)
    return answers.memory_promoted(outcome)


handler = EDGE.handler
