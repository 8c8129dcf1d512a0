"""POST /v1/conversations/{id}/turns: append turns.

Not here: how an append is made safe (everturn.services.append_turns).
"""

from everturn.edge.answers import Answer, appended
from everturn.edge.lambda_edge import LambdaEdge
from everturn.edge.requests import AppendBody, IdempotencyKey, PathId
from everturn.services.append_turns import append_turns

EDGE = LambdaEdge()


@EDGE.app.post("/v1/conversations/<id_>/turns")
def append(id_: PathId, body: AppendBody, idempotency_key: IdempotencyKey = None) -> Answer:
    """Append turns; creates the conversation if need be."""
    outcome = append_turns(
        **EDGE.writing,
        conversation_id=id_,
        turns=[turn.draft() for turn in body.turns],
        key=idempotency_key,
        expected=body.expected_turn_count,
        must_exist=body.must_exist,
    )
    EDGE.count(
        appended=outcome.appended,
        ignored=outcome.ignored,
        clamped=outcome.clamped,
        attempts=outcome.attempts,
        replayed=outcome.replayed,
    )
    return appended(outcome)


handler = EDGE.handler
