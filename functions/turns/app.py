"""/v1/conversations/{id}/turns/...: redact one turn, take the newest back."""

from everturn.deletion.pop_turn import pop_turn
from everturn.deletion.redact_turn import redact_turn
from everturn.edge.api_function import LambdaEdge
from everturn.edge.requests import ExpectedCount, PathId, RedactBody, TurnNumber
from everturn.edge.responses import base
from everturn.edge.responses.base import Answer

EDGE = LambdaEdge()


@EDGE.app.delete("/v1/conversations/<id_>/turns/last")
def pop(id_: PathId, expected_turn_count: ExpectedCount) -> Answer:
    """Take back the newest turn."""
    outcome = pop_turn(**EDGE.taking_back, conversation_id=id_, expected=expected_turn_count)
    EDGE.count(popped=1)
    return base.popped(outcome, EDGE.kept)


@EDGE.app.patch("/v1/conversations/<id_>/turns/<number>")
def redact(id_: PathId, number: TurnNumber, body: RedactBody) -> Answer:
    """Replace what a turn said."""
    outcome = redact_turn(**EDGE.taking_back, conversation_id=id_, number=number, text=body.text)
    EDGE.count(redacted=1)
    return base.redacted(outcome, EDGE.kept)


handler = EDGE.handler
