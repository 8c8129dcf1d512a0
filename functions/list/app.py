"""GET /v1/conversations: list conversations, newest first.

Not here: the cache that keeps it cheap (everturn.services.list_conversations).
"""

from everturn.edge.answers import Answer, listed
from everturn.edge.lambda_edge import LambdaEdge
from everturn.edge.requests import Flag, Limit, Word
from everturn.services.list_conversations import Filters, list_conversations

EDGE = LambdaEdge()


@EDGE.app.get("/v1/conversations")
def list_(
    limit: Limit = None,
    cursor: Word = None,
    folder: Word = None,
    archived: Flag = None,
    q: Word = None,
) -> Answer:
    """List one page of the caller's conversations."""
    page = list_conversations(
        data=EDGE.backends.data,
        derived=EDGE.backends.derived,
        scope=EDGE.scope,
        limit=limit,
        cursor=cursor,
        filters=Filters(folder, archived, q),
    )
    EDGE.count(read=page.read, skipped=page.skipped)
    return listed(page)


handler = EDGE.handler
