"""POST /v1/conversations/{id}/turns and /consolidate: append turns, have them consolidated."""

from everturn.conversations.append_turns import append_turns
from everturn.edge.append_function import AppendEdge
from everturn.edge.requests import AppendBody, ConsolidateBody, IdempotencyKey, PathId
from everturn.edge.responses.base import Answer, appended, offered

EDGE = AppendEdge()


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
        recovered=outcome.recovered,
        sealed=outcome.sealed,
    )
    EDGE.offer_appended(outcome)
    return appended(outcome)


@EDGE.app.post("/v1/conversations/<id_>/consolidate")
def consolidate(id_: PathId, body: ConsolidateBody | None = None) -> Answer:
    """Have a conversation consolidated soon."""
    del body
    return offered(EDGE.offer_stored(id_))


handler = EDGE.handler
