"""/v1/conversations and below: create, read, change, export, delete one conversation."""

from everturn.conversations.create_conversation import create_conversation, patch_conversation
from everturn.conversations.read_conversation import export_conversation, read_turns
from everturn.deletion.delete_conversation import delete_conversation
from everturn.edge.api_function import LambdaEdge
from everturn.edge.requests import CreateBody, FirstTurn, Limit, PatchBody, PathId
from everturn.edge.responses import base
from everturn.edge.responses.base import Answer

EDGE = LambdaEdge()


@EDGE.app.post("/v1/conversations")
def create(body: CreateBody) -> Answer:
    """Create an empty conversation; one that exists is left as it is."""
    made = create_conversation(**EDGE.writing, **body.wanted())
    EDGE.count(created=made.created)
    return base.summarized(made.summary, created=made.created)


@EDGE.app.get("/v1/conversations/<id_>")
def get(id_: PathId, first: FirstTurn = 0, limit: Limit = None) -> Answer:
    """Read a conversation with one page of its turns, oldest first."""
    page = read_turns(**EDGE.reading, conversation_id=id_, first=first, limit=limit)
    return base.conversation_read(page)


@EDGE.app.get("/v1/conversations/<id_>/turns")
def turns(id_: PathId, last: Limit = None, first: FirstTurn = None, limit: Limit = None) -> Answer:
    """Read turns: the newest, or a page from a number on."""
    page = read_turns(**EDGE.reading, conversation_id=id_, last=last, first=first, limit=limit)
    return base.turns_read(page)


@EDGE.app.get("/v1/conversations/<id_>/export")
def export(id_: PathId) -> Answer:
    """Return the stored file."""
    return base.raw_answer(export_conversation(**EDGE.reading, conversation_id=id_))


@EDGE.app.patch("/v1/conversations/<id_>")
def patch(id_: PathId, body: PatchBody) -> Answer:
    """Rename, file, archive, or change metadata."""
    changed = patch_conversation(**EDGE.writing, conversation_id=id_, patch=body.patch())
    return base.summarized(changed)


@EDGE.app.delete("/v1/conversations/<id_>")
def delete(id_: PathId) -> Answer:
    """Delete a conversation for good."""
    receipt = delete_conversation(**EDGE.taking_back, conversation_id=id_)
    EDGE.count(deleted=1)
    return base.deleted(receipt, EDGE.kept)


handler = EDGE.handler
