"""Recall, themes, and the status: what is searched, and with what.

The services of recall are imported by the first request that needs them: with them comes numpy.
"""

from everturn.edge.recall_function import RecallEdge
from everturn.edge.recall_requests import RecallBody, ThemesBody
from everturn.edge.requests import PathId
from everturn.edge.responses.base import Answer
from everturn.edge.responses.recall import recalled, themes_found
from everturn.edge.responses.status import status_told

EDGE = RecallEdge()


@EDGE.app.post("/v1/conversations/<id_>/recall")
def recall(id_: PathId, body: RecallBody) -> Answer:
    """Find the turns of one conversation that a query asks for."""
    from everturn.recall.recall_turns import recall_turns

    request = body.request()
    found = recall_turns(**EDGE.recalling, conversation_id=id_, request=request)
    EDGE.count_recall(found)
    return recalled(found, request)


@EDGE.app.post("/v1/recall")
def recall_all(body: RecallBody) -> Answer:
    """Find the turns of all conversations that a query asks for."""
    from everturn.recall.recall_turns import recall_across

    request = body.request()
    found = recall_across(**EDGE.recalling, request=request)
    EDGE.count_recall(found)
    return recalled(found, request)


@EDGE.app.post("/v1/themes")
def themes(body: ThemesBody) -> Answer:
    """Say what the conversations are about."""
    from everturn.recall.themes.find_themes import find_themes

    window = body.window()
    found = find_themes(**EDGE.recalling, window=window, k=body.k)
    EDGE.answered(found.reason)
    EDGE.count(themes=len(found.themes), degraded=found.degraded)
    return themes_found(found)


@EDGE.app.get("/v1/status")
def status() -> Answer:
    """Say what this deployment works with, and what it has not done yet."""
    return status_told(EDGE.stores, EDGE.embedder, EDGE.consolidation)


handler = EDGE.handler
