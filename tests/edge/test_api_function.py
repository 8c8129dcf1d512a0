"""What every function of the HTTP API does around its routes."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from everturn.edge.api_function import LambdaEdge
from everturn.edge.recall_requests import RecallBody
from everturn.edge.requests import AppendBody, CreateBody, Limit
from everturn.edge.responses.base import Answer, answer
from everturn.errors import (
    AccessDeniedError,
    CorruptRecordError,
    UnauthenticatedError,
    UnavailableError,
)

CONTEXT = SimpleNamespace(
    function_name="f", memory_limit_in_mb=1, invoked_function_arn="a", aws_request_id="r"
)
RAISED: dict[str, BaseException] = {
    "denied": AccessDeniedError("s3 did not do it status=403"),
    "later": UnavailableError("no lock in time"),
    "corrupt": CorruptRecordError("a stored record cannot be read conversation=secret"),
    "bug": ValueError("secret"),
    "ctrl-c": KeyboardInterrupt(),
}


@pytest.fixture
def edge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LambdaEdge:
    monkeypatch.setenv("EVERTURN_STORE", str(tmp_path))
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", f"edge-{tmp_path.name}")
    edge = LambdaEdge()

    @edge.app.get("/v1/raise/<kind>")
    def raising(kind: str) -> Answer:
        raise RAISED[kind]

    @edge.app.get("/v1/limit")
    def limited(limit: Limit = None) -> Answer:
        return answer({"limit": limit})

    return edge


def event(path: str, **parts: Any) -> dict[str, Any]:  # noqa: ANN401 - any event
    arn = "arn:aws:sts::111122223333:assumed-role/Agent/alice"
    return {
        "version": "2.0",
        "routeKey": f"GET {path}",
        "rawPath": path,
        "headers": {},
        "requestContext": {
            "requestId": "r-1",
            "stage": "$default",
            "http": {"method": "GET", "path": path},
            "authorizer": {"iam": {"userArn": arn}},
        },
        **parts,
    }


def called(edge: LambdaEdge, given: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    result = edge.handler(given, CONTEXT)
    return result["statusCode"], json.loads(result["body"])


@pytest.mark.parametrize(
    ("kind", "status", "logged"),
    [
        ("denied", 500, "s3 did not do it status=403"),
        ("later", 503, "no lock in time"),
        ("corrupt", 500, "corrupt_record"),
        ("bug", 500, "ValueError"),
    ],
)
def test_a_fault_of_ours_leaves_its_reason_in_the_log_and_no_word_of_a_user(
    edge: LambdaEdge, caplog: pytest.LogCaptureFixture, kind: str, status: int, logged: str
) -> None:
    assert called(edge, event(f"/v1/raise/{kind}"))[0] == status
    (fault,) = caplog.records
    said = f"{vars(fault)} {fault.getMessage()}"
    assert logged in said
    assert "secret" not in said


@pytest.mark.parametrize("path", ["/v1/limit", "/v1/raise/denied", "/v1/raise/bug", "/v1/nowhere"])
def test_between_two_requests_nobody_is_served(edge: LambdaEdge, path: str) -> None:
    called(edge, event(path))
    with pytest.raises(UnauthenticatedError):
        assert edge.scope


@pytest.mark.parametrize("kind", ["denied", "later", "bug"])
def test_the_reason_of_a_fault_is_not_told_to_the_caller(edge: LambdaEdge, kind: str) -> None:
    message = called(edge, event(f"/v1/raise/{kind}"))[1]["error"]["message"]
    assert message in {
        "something went wrong",
        "the store did not do it or cannot say so, send it again",
    }


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"requestContext": None},
        {"requestContext": {"authorizer": "x", "requestId": "r-1"}},
        {"requestContext": {"authorizer": {"jwt": "x"}}},
        {"requestContext": {"authorizer": {"iam": {"userArn": 5}}}},
        {**event("/v1/limit"), "body": {"a": 1}},
        {**event("/v1/limit"), "headers": {"content-type": None}, "body": "{}"},
    ],
)
def test_an_event_in_no_known_form_is_answered(edge: LambdaEdge, given: dict[str, Any]) -> None:
    status, body = called(edge, given)
    assert status in {401, 403, 500}
    assert set(body["error"]) == {"code", "message", "request_id", "retryable"}


@pytest.mark.parametrize(("limit", "status"), [
    ("5", 200), ("1000000", 200), ("0", 422), ("-1", 422), ("5.0", 422), ("1_0", 422),
    (" 5 ", 422), ("+5", 422), ("", 422), ("\u0665", 422), ("9" * 40, 200), ("9" * 1_001, 422),
])  # fmt: skip
def test_a_limit_is_a_whole_number_above_zero(edge: LambdaEdge, limit: str, status: int) -> None:
    given = event("/v1/limit", queryStringParameters={"limit": limit}, rawQueryString="")
    assert called(edge, given)[0] == status


def test_the_first_wrong_turn_ends_the_check() -> None:
    """Else pydantic describes each of a million faults, for seconds and megabytes."""
    with pytest.raises(ValidationError) as caught:
        AppendBody.model_validate({"turns": [0] * 1_000})
    assert caught.value.error_count() == 1


def test_what_users_say_is_in_no_repr() -> None:
    """Powertools puts the arguments of a route into debug lines."""
    append = AppendBody.model_validate({"turns": [{"role": "user", "text": "secret"}]})
    create = CreateBody(title="secret", folder="secret", metadata={"k": "secret"})
    recall = RecallBody(query="secret", roles=["secret"])
    assert "secret" not in repr(append) + repr(create) + repr(recall)


def test_a_request_that_is_broken_off_says_nothing(
    edge: LambdaEdge, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even that it counted nothing: a command runs these functions too."""
    with pytest.raises(KeyboardInterrupt):
        edge.handler(event("/v1/raise/ctrl-c"), CONTEXT)
    assert capsys.readouterr() == ("", "")
