"""GET /v1/conversations and /v1/turns/recent: what is newest in all of a caller's conversations."""

from everturn.edge.api_function import LambdaEdge
from everturn.edge.requests import Flag, Limit, Moment, RecentForm, Roles, Word
from everturn.edge.responses.base import Answer, listed
from everturn.edge.responses.recent import pairs_read, turns_read
from everturn.listing.list_conversations import Filters, list_conversations
from everturn.listing.recent_turns import recent_turns
from everturn.values.timestamps import parse_window

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
        clock=EDGE.backends.clock,
        scope=EDGE.scope,
        limit=limit,
        cursor=cursor,
        filters=Filters(folder, archived, q),
    )
    EDGE.count(read=page.read, skipped=page.skipped, repairs=page.repairs)
    return listed(page)


@EDGE.app.get("/v1/turns/recent")
def recent(
    *, limit: Limit = None, cursor: Word = None, since: Moment = None, until: Moment = None,
    roles: Roles = None, form: RecentForm = "turns",
) -> Answer:  # fmt: skip
    """Read the newest turns of all conversations, or questions with their answers."""
    page = recent_turns(
        data=EDGE.backends.data,
        derived=EDGE.backends.derived,
        clock=EDGE.backends.clock,
        scope=EDGE.scope,
        limit=limit,
        cursor=cursor,
        window=parse_window(since, until),
        roles=roles or (),
        pairs=form == "pairs",
    )
    EDGE.count(recent_read=page.read, skipped=page.skipped, repairs=page.repairs)
    return pairs_read(page) if form == "pairs" else turns_read(page)


handler = EDGE.handler
