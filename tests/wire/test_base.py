import json
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from everturn.errors import UnavailableError
from everturn.wire import conversations, deployment, memories, search
from everturn.wire.base import Part, Result
from everturn.wire.conversations import Appended, Turn
from everturn.wire.deployment import Status
from everturn.wire.search import Recalled
from repository import REPOSITORY

_SCHEMAS = json.loads((REPOSITORY / "docs/openapi.json").read_text())["components"]["schemas"]
# The names that differ; all others are those of the API's description.
_NAMES = {
    "Conversations": "ConversationPage",
    "Documents": "DocumentPage",
    "DocumentVersion": "DocumentWritten",
    "Memories": "MemoryPage",
    "MemoryForgotten": "Receipt",
    "Procedures": "Procedural",
    "RecentPairs": "PairPage",
    "RecentTurns": "RecentPage",
    "Turns": "TurnPage",
}
# Requests; errors, which are raised; and the stored file, which is handed on as it is.
_NO_RESULTS = {
    *(name for name in _SCHEMAS if name.endswith("Body")),
    "Error",
    "ErrorAnswer",
    "GatewayAnswer",
    "StoredConversation",
    "StoredTurn",
}
_DESCRIBED = sorted(set(_SCHEMAS) - _NO_RESULTS)
_MODELS: dict[str, type[BaseModel]] = {
    name: kind
    for module in (conversations, deployment, memories, search)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Part) and kind.__module__ == module.__name__
    if not name.startswith("_")
}
_ANSWERS = [kind for kind in _MODELS.values() if issubclass(kind, Result)]


def _model(schema: str) -> type[BaseModel]:
    return _MODELS[_NAMES.get(schema, schema)]


def _fields(model: type[BaseModel]) -> dict[str, bool]:
    """Return the names of the fields as they are sent, and whether they are required."""
    return {field.alias or name: field.is_required() for name, field in model.model_fields.items()}


@pytest.mark.parametrize("schema", _DESCRIBED)
def test_a_model_has_the_fields_of_the_apis_description(schema: str) -> None:
    """No field is missing, none is invented, and what is required is required."""
    described = _SCHEMAS[schema]
    told = (
        {name: name in described["required"] for name in described["properties"]}
        if ("required" in described)
        else dict.fromkeys(described["properties"], False)
    )
    fields = _fields(_model(schema))
    if schema == "MemoryForgotten":
        fields.pop("remaining")  # a receipt like any other, which is always whole
    assert fields == told


def test_every_model_is_described_by_the_api() -> None:
    assert {_model(schema).__name__ for schema in _DESCRIBED} == set(_MODELS) - {"Part", "Result"}


@pytest.mark.parametrize("kind", _ANSWERS)
def test_an_empty_result_of_every_kind_says_why_it_is_empty(kind: type[Result]) -> None:
    result = kind.nothing("unavailable")
    assert result.failed == "unavailable"
    for value in dict(result).values():
        assert not value or isinstance(value, Part)


@pytest.mark.parametrize("kind", _ANSWERS)
def test_nobody_goes_on_with_an_empty_result_who_asks_whether_it_is_sure(
    kind: type[Result],
) -> None:
    with pytest.raises(UnavailableError, match="code=corrupt_record"):
        kind.nothing("corrupt_record").sure()


def test_a_result_of_an_answer_did_not_fail() -> None:
    recalled = Recalled.model_validate({"hits": [], "filtered": 0, "degraded": False})
    assert recalled.failed is None
    assert recalled.sure() is recalled


def test_an_answer_cannot_say_that_it_failed() -> None:
    """A newer server's field of that name is ignored like any other."""
    recalled = Recalled.model_validate(
        {"hits": [], "filtered": 0, "degraded": False, "failed": "x", "new": 1}
    )
    assert recalled.failed is None
    assert not hasattr(recalled, "new")


def test_a_result_cannot_be_changed() -> None:
    turn = _turn()
    with pytest.raises(ValidationError):
        turn.text = "other"


def test_what_a_user_said_is_not_in_the_error_about_it() -> None:
    with pytest.raises(ValidationError) as raised:
        Turn.model_validate({"index": "secret words", "role": "user", "text": "x", "ts": None})
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("ts", "microsecond"), [("2026-01-02T03:04:05.123456789Z", 123456), ("2026-01-02T03:04:05Z", 0)]
)
def test_a_time_is_an_aware_datetime_to_the_microsecond(ts: str, microsecond: int) -> None:
    assert _turn(ts=ts).time == datetime(2026, 1, 2, 3, 4, 5, microsecond, tzinfo=UTC)


def test_a_turn_without_a_time_has_none() -> None:
    assert _turn(ts=None).time is None


def test_a_kind_that_a_newer_server_knows_is_read() -> None:
    status = Status.nothing("x").model_dump()
    status["consolidation"]["queue"] = "kinesis"
    assert Status.model_validate(status).consolidation.queue == "kinesis"


def test_an_answer_without_a_required_field_is_none() -> None:
    with pytest.raises(ValidationError):
        Appended.model_validate({"conversation_id": "c"})


def _turn(**fields: Any) -> Turn:  # noqa: ANN401 - of a turn
    return Turn.model_validate({"index": 0, "role": "user", "text": "x", "ts": None, **fields})
