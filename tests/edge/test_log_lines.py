"""The lines that requests log: what names the request, and what is never in one."""

import json
from pathlib import Path
from typing import Any

import pytest

from edge.test_api_function import CONTEXT, RAISED, event
from everturn.edge.api_function import LambdaEdge
from everturn.edge.responses.base import Answer, answer

SECRET = "secret"
RAISING, QUIET = "/v1/raise/{kind}", "/v1/quiet/{id}"


def _edge(folder: Path, monkeypatch: pytest.MonkeyPatch, **variables: str) -> LambdaEdge:
    names = {
        "EVERTURN_STORE": str(folder),
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_METRICS_DISABLED": "true",
        # A logger of one name keeps the level and the output of the test that made it.
        "POWERTOOLS_SERVICE_NAME": f"lines-{folder.name}",
        **variables,
    }
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    edge = LambdaEdge()

    @edge.app.get("/v1/raise/<kind>")
    def raising(kind: str) -> Answer:
        raise RAISED[kind]

    @edge.app.get("/v1/quiet/<id_>")
    def quiet(id_: str) -> Answer:
        return answer({"id": id_})

    return edge


def _event(template: str, value: str, request_id: str = "r-1") -> dict[str, Any]:
    path = template.partition("{")[0] + value
    name = template.partition("{")[2].rstrip("}")
    given = event(path, routeKey=f"GET {template}", pathParameters={name: value})
    given["requestContext"]["requestId"] = request_id
    return given


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("kind", "status"), [("denied", 500), ("later", 503), ("bug", 500)])
def test_the_line_of_a_fault_bears_what_the_caller_is_told_the_request_was(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    status: int,
) -> None:
    edge = _edge(tmp_path, monkeypatch)
    told = json.loads(edge.handler(_event(RAISING, kind, "r-77"), CONTEXT)["body"])["error"]
    [line] = _lines(capsys)
    assert line["correlation_id"] == told["request_id"] == "r-77"
    assert (line["function_request_id"], line["function_name"]) == ("r", "f")
    assert (line["route"], line["status"]) == (f"GET {RAISING}", status)


def test_a_line_bears_nothing_of_the_request_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edge = _edge(tmp_path, monkeypatch)
    edge.handler(_event(RAISING, "denied", "r-1"), CONTEXT)
    edge.handler(_event(RAISING, "later", "r-2"), CONTEXT)
    edge.handler({"requestContext": 7}, CONTEXT)
    ids = [(line["correlation_id"], line["route"]) for line in _lines(capsys)]
    assert ids[:2] == [("r-1", f"GET {RAISING}"), ("r-2", f"GET {RAISING}")]
    assert set(ids[2:]) <= {("", "")}


@pytest.mark.filterwarnings("ignore:POWERTOOLS_DEV")
@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"POWERTOOLS_LOG_LEVEL": "DEBUG"},
        {"POWERTOOLS_LOG_LEVEL": "DEBUG", "POWERTOOLS_LOGGER_LOG_EVENT": "true"},
        {"POWERTOOLS_LOG_LEVEL": "DEBUG", "POWERTOOLS_DEV": "true"},
    ],
)
def test_no_variable_makes_a_request_tell_what_was_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variables: dict[str, str],
) -> None:
    """Powertools would print whole events, and tell callers the trace of an exception."""
    edge = _edge(tmp_path, monkeypatch, **variables)
    given = {**_event(QUIET, SECRET), "body": json.dumps({"text": SECRET})}
    assert edge.handler(given, CONTEXT)["statusCode"] == 200
    assert capsys.readouterr().out == ""
    crashed = edge.handler(_event(RAISING, "bug"), CONTEXT)
    assert SECRET not in capsys.readouterr().out
    assert SECRET not in crashed["body"]
