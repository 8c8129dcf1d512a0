"""Retrieval: what an agent is to know before it answers.

Services are imported by the first request that needs them: with them comes numpy.
"""

from everturn.edge.recall_requests import ContextBody, PromptBody, RetrieveBody
from everturn.edge.responses import recall
from everturn.edge.responses.base import Answer
from everturn.edge.retrieve_function import RetrieveEdge
from everturn.prompts.pinned_block import pinned_block
from everturn.prompts.read_pinned import read_pinned

EDGE = RetrieveEdge()


@EDGE.app.post("/v1/memories/retrieve")
def retrieve(body: RetrieveBody) -> Answer:
    """Find the memories that a query asks for, and what was said since."""
    from everturn.prompts.retrieve_memories import retrieve as find

    request = body.request()
    found = find(EDGE.parts, request)
    EDGE.count_retrieval(found)
    return recall.retrieved(found, request)


@EDGE.app.post("/v1/memories/pinned")
def pinned(body: PromptBody) -> Answer:
    """Put together what opens every prompt."""
    found = read_pinned(**EDGE.browsing, **EDGE.told, goal=body.goal)
    block = pinned_block(found.parts, body.budget_tokens)
    EDGE.count(pinned=1, cut=block.cut)
    return recall.pinned(block, found.reason)


@EDGE.app.post("/v1/memories/procedural")
def procedural(body: PromptBody) -> Answer:
    """Find the patterns that enough sources speak for."""
    from everturn.prompts.find_procedures import find_procedures

    found = find_procedures(EDGE.parts, goal=body.goal, budget_tokens=body.budget_tokens)
    EDGE.count(procedures=len(found))
    return recall.procedures_found(found)


@EDGE.app.post("/v1/context")
def context(body: ContextBody) -> Answer:
    """Put together all that an agent should know by now, under one budget."""
    from everturn.prompts.build_context import build_context

    built = build_context(EDGE.parts, body.request(), **EDGE.told)
    EDGE.count_context(built)
    return recall.context_built(built)


handler = EDGE.handler
