"""The sample events through the real handlers: each is answered as its name says."""

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from everturn.adapters.system_clock import SystemClock
from everturn.local.bundle import find_bundle
from everturn.local.functions import load_handlers
from everturn.local.invocation import LambdaContext
from everturn.local.template import read_routes
from everturn.values.keys import Scope
from functions.house import Json

EVENTS: Final = Path(__file__).parents[1] / "events"
NAMES: Final = sorted(path.stem for path in EVENTS.glob("*.json"))
ALICE, USER = Scope("default", "alice"), Scope("acme", "b6d1f0a2-alice")
BOB = Scope("acme", "bob")

# What an event's name ends in -> whose request it is, or the status that refuses it.
ENDINGS: Final[dict[str, Scope | int]] = {
    "_iam": ALICE, "_jwt": USER, "_act_as": BOB, "_jwt_act_as": BOB, "_jwt_scoped_act_as": BOB,
    "_act_as_stranger": 403, "_act_as_stranger_jwt": 403, "_no_authorizer": 401,
    "_iam_user": Scope("default", "user/alice"), "_malformed": 400, "_no_body": 400,
    "_base64": ALICE, "_decoded_id": ALICE, "_encoded_query": ALICE,
    # A folder is one: neither of two is meant more than the other.
    "_repeated_query": 422,
}  # fmt: skip

CREATING: Final = ("create_", "put_document", "remember_")
LATER: Final = ("consolidate_",)
LEAVING_NOTHING: Final = (
    "list_", "recent_", "delete_document", "export_scope", "erase_scope",
    "recall_across", "themes_", "status_",
    "retrieve_", "pinned_", "procedural_", "context_",
)  # fmt: skip
LINES: Final = "export_scope"
# The first letter of the keys that a route writes: a head's, if it is none of these.
WRITTEN: Final = {"document": "o", "memory": "m", "remember": "m", "outcome": "m"}
APPEND: Final = "POST /v1/conversations/{id}/turns"

Invoke = Callable[[Json], Json]


def _event(name: str) -> Json:
    event: Json = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    return event


def _expected(name: str) -> Scope | int:
    ending = max((ending for ending in ENDINGS if name.endswith(ending)), key=len)
    return ENDINGS[ending]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Call the handler of an event's route, as it is deployed; a directory is the store."""
    bundle = find_bundle()
    functions = {route.key: route.function for route in read_routes(bundle.template)}
    settings = {
        "EVERTURN_STORE": str(tmp_path / "store"),
        "EVERTURN_SERVICE_ROLES": "arn:aws:iam::123456789012:role/FrontendRole",
        "EVERTURN_TENANT_CLAIM": "custom:tenant",
        "EVERTURN_EMBEDDER": "hash",
    }
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    handlers = load_handlers(set(functions.values()), bundle=bundle, settings=settings)

    def call(event: Json) -> Json:
        function = functions[event["routeKey"]].name
        context = LambdaContext("request-1", function, SystemClock(), 0.0)
        answer: Json = handlers[function](copy.deepcopy(event), context)
        return answer

    return call


def _prepare(invoke: Invoke, event: Json) -> None:
    """Let the caller of this event have the conversation, document or memory that it names."""
    parameters = event.get("pathParameters", {})
    if "id" in parameters and event["routeKey"] != APPEND:
        _invoke_before(invoke, event, APPEND, '{"turns":[{"role":"user","text":"before"}]}')
    if "key" in parameters and not event["routeKey"].startswith("PUT "):
        _invoke_before(invoke, event, "PUT /v1/documents/{space}/{key}", '{"value":"before"}')
    if "rid" in parameters:
        event["pathParameters"] = {"rid": _prove(invoke, event)}


def _prove(invoke: Invoke, event: Json) -> str:
    """Let the caller have a pattern that three conversations speak for; its id."""
    for number in range(3):
        source = {"conversation_id": f"before-{number}"}
        body = {"kind": "pattern", "statement": "Run the tests.", "source": source}
        answer = _invoke_before(invoke, event, "POST /v1/memories", json.dumps(body))
    rid: str = json.loads(answer["body"])["memory"]["id"]
    return rid


def _invoke_before(invoke: Invoke, event: Json, route_key: str, body: str) -> Json:
    before = copy.deepcopy(event)
    before["routeKey"] = route_key
    before["requestContext"]["http"]["method"] = route_key.partition(" ")[0]
    before["isBase64Encoded"] = False
    before["body"] = body
    return invoke(before)


def _status(name: str) -> int:
    if name.startswith(CREATING):
        return 201
    return 202 if name.startswith(LATER) else 200


@pytest.mark.parametrize("name", NAMES)
def test_an_event_is_answered_as_its_name_says(invoke: Invoke, name: str, tmp_path: Path) -> None:
    """Granted ones do what their route does, within the scope that the name says."""
    event, expected = _event(name), _expected(name)
    _prepare(invoke, event)
    answer = invoke(event)
    body = json.loads(answer["body"] or "{}")
    if isinstance(expected, int):
        assert answer["statusCode"] == expected, body
        assert body["error"]["request_id"] == event["requestContext"]["requestId"]
        return
    assert answer["statusCode"] == _status(name), body
    media = "application/x-ndjson" if name.startswith(LINES) else "application/json"
    assert answer["headers"]["Content-Type"] == media
    if not name.startswith(LEAVING_NOTHING):
        kind = next((kind for word, kind in WRITTEN.items() if word in name), "c")
        folder = tmp_path / "store" / ".everturn" / kind / expected.tenant
        assert [path.suffix for path in folder.rglob("*") if path.is_file()] == [".json"]
        assert "user/alice" in expected.actor or (folder / expected.actor).is_dir()


def test_an_event_in_base64_is_read_as_its_text(invoke: Invoke) -> None:
    invoke(_event("append_base64"))
    page = json.loads(invoke(_event("turns_iam"))["body"])
    assert page["turns"][0]["text"] == "Café — 10 €?"


def test_a_decoded_id_is_the_id(invoke: Invoke) -> None:
    event = _event("get_decoded_id")
    _prepare(invoke, event)
    assert json.loads(invoke(event)["body"])["conversation_id"] == event["pathParameters"]["id"]


def test_the_same_keyed_event_twice_is_one_append(invoke: Invoke) -> None:
    """API Gateway and clients repeat requests."""
    first, second = (json.loads(invoke(_event("append_iam"))["body"]) for _ in range(2))
    assert (first["replayed"], second["replayed"], second["turn_count"]) == (False, True, 2)


def test_whoever_acts_for_a_user_sees_what_that_user_has(invoke: Invoke) -> None:
    invoke(_event("append_act_as"))
    for name, count in (("list_jwt_act_as", 1), ("list_jwt_scoped_act_as", 1), ("list_iam", 0)):
        assert len(json.loads(invoke(_event(name))["body"])["conversations"]) == count


@pytest.mark.parametrize("body", ["////", "gA==", "not base64!", "eyJ0dXJucyI6"])
def test_a_body_in_base64_that_is_no_json_is_malformed(invoke: Invoke, body: str) -> None:
    event: dict[str, Any] = {**_event("append_iam"), "body": body, "isBase64Encoded": True}
    answer = invoke(event)
    assert answer["statusCode"] == 400, answer["body"]


def test_a_stage_in_the_path_changes_nothing(invoke: Invoke) -> None:
    event = _event("append_iam")
    event["requestContext"]["stage"] = "prod"
    event["rawPath"] = "/prod" + event["rawPath"]
    assert invoke(event)["statusCode"] == 200


@pytest.mark.parametrize("encoded", [False, True])
def test_a_handler_itself_refuses_a_body_above_three_mebibytes(
    invoke: Invoke, *, encoded: bool
) -> None:
    """API Gateway lets 10 MB through; a base64 body is measured by what it holds."""
    event = _event("append_iam")
    whole = event["body"].encode()
    for size, status in ((3 * 1_048_576, 200), (3 * 1_048_576 + 3, 413)):
        body = whole + b" " * (size - len(whole))
        sent = base64.b64encode(body) if encoded else body
        answer = invoke({**event, "body": sent.decode(), "isBase64Encoded": encoded})
        assert answer["statusCode"] == status, answer["body"]
