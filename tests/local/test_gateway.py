import json
import threading
from pathlib import Path
from typing import Any

import pytest

from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.local.gateway import Gateway
from everturn.local.handler_log import HandlerLog
from everturn.local.http_messages import Request, ascii_target
from everturn.local.invocation import answer_of
from local.echo import ECHO, ROUTES, echo_gateway, fail


def _event(target: str, *headers: tuple[str, str], body: bytes = b"") -> dict[str, Any]:
    request = Request("POST" if body else "GET", target, headers, body)
    answer = echo_gateway().answer(request)
    assert answer.status == 200
    event: dict[str, Any] = json.loads(answer.body)["event"]
    return event


def test_an_event_has_the_form_of_payload_two() -> None:
    event = _event("/v1/things/a%2Fb?x=1", ("Host", "localhost:1"), ("User-Agent", "me"))
    assert event["version"] == "2.0"
    assert event["routeKey"] == "GET /v1/things/{id}"
    assert event["rawPath"] == "/v1/things/a/b"
    assert event["pathParameters"] == {"id": "a/b"}
    assert event["requestContext"]["http"] == {
        "method": "GET",
        "path": "/v1/things/a/b",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": "me",
    }
    assert event["requestContext"]["time"] == "01/Jan/2026:00:00:00 +0000"
    assert event["requestContext"]["timeEpoch"] == 1_767_225_600_000
    assert event["requestContext"]["domainName"] == "localhost:1"
    assert event["isBase64Encoded"] is False
    assert not {"body", "cookies"} & event.keys()


def test_the_real_events_of_the_api_have_no_key_that_ours_lack(
    request: pytest.FixtureRequest,
) -> None:
    """`stageVariables` and `principalOrgId`-like extras aside, handlers see the same names."""
    recorded = Path(request.config.rootpath) / "tests" / "events" / "append_act_as.json"
    real = json.loads(recorded.read_text())
    ours = _event("/v1/things", ("x-everturn-actor", "a"), body=b"{}") | {"pathParameters": {}}
    assert real.keys() - ours.keys() <= {"stageVariables", "cookies", "queryStringParameters"}
    assert real["requestContext"].keys() - ours["requestContext"].keys() <= {"authentication"}
    identity = ours["requestContext"]["authorizer"]["iam"]
    assert real["requestContext"]["authorizer"]["iam"].keys() <= identity.keys()


def test_the_query_stays_encoded_raw_and_is_decoded_with_repeats_joined() -> None:
    event = _event("/v1/things?a=1&b=x%2Cy+z&a=2&empty=&c=%C3%A9")
    assert event["rawQueryString"] == "a=1&b=x%2Cy+z&a=2&empty=&c=%C3%A9"
    assert event["queryStringParameters"] == {"a": "1,2", "b": "x,y z", "empty": "", "c": "é"}


def test_no_query_is_no_parameters() -> None:
    event = _event("/v1/things")
    assert event["rawQueryString"] == ""
    assert "queryStringParameters" not in event
    assert "pathParameters" not in event


def test_header_names_are_lower_case_and_repeats_are_joined() -> None:
    event = _event("/v1/things", ("X-A", "1"), ("x-a", "2"), ("Cookie", "k=v; l=w"))
    assert event["headers"]["x-a"] == "1,2"
    assert event["cookies"] == ["k=v", "l=w"]
    assert "cookie" not in event["headers"]


def test_a_body_is_text_or_else_base64() -> None:
    text = _event("/v1/things", body='{"é":1}'.encode())
    assert (text["body"], text["isBase64Encoded"]) == ('{"é":1}', False)
    binary = _event("/v1/things", body=b"\xff\x00")
    assert (binary["body"], binary["isBase64Encoded"]) == ("/wA=", True)


def test_the_front_is_a_trusted_caller_and_the_user_is_local_unless_named() -> None:
    event = _event("/v1/things")
    iam = event["requestContext"]["authorizer"]["iam"]
    assert iam["userArn"] == "arn:aws:sts::000000000000:assumed-role/everturn-local/local"
    assert event["headers"]["x-everturn-tenant"] == "local"
    assert event["headers"]["x-everturn-actor"] == "local"
    named = _event("/v1/things", ("X-Everturn-Actor", "ann"))["headers"]
    assert (named["x-everturn-tenant"], named["x-everturn-actor"]) == ("local", "ann")


def test_each_request_has_its_own_id_in_event_and_context() -> None:
    gateway = echo_gateway()
    seen = [json.loads(gateway.answer(Request("GET", "/v1/things")).body) for _ in range(2)]
    ids = [said["event"]["requestContext"]["requestId"] for said in seen]
    assert ids[0] != ids[1]
    assert ids == [said["request"] for said in seen]
    assert [said["function"] for said in seen] == ["Echo", "Echo"]


def test_the_context_counts_down_from_twenty_seconds() -> None:
    clock = ManualClock()

    def slow(_event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's
        left = [context.get_remaining_time_in_millis()]
        for _ in range(2):
            clock.sleep(12.5)
            left.append(context.get_remaining_time_in_millis())
        return {"statusCode": 200, "body": json.dumps(left)}

    gateway = Gateway(ROUTES, {"Echo": slow}, clock=clock, entropy=SeededEntropy())
    assert json.loads(gateway.answer(Request("GET", "/v1/things")).body) == [20_000, 7_500, 0]


def test_headers_and_cookies_of_a_result_are_answered() -> None:
    answer = echo_gateway().answer(Request("GET", "/v1/things"))
    assert answer.headers == (
        ("content-type", "application/json"),
        ("x-number", "7"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
    )


def test_a_base64_result_is_decoded() -> None:
    result = {"statusCode": "201", "body": "/wA=", "isBase64Encoded": True}
    assert answer_of(result).body == b"\xff\x00"
    assert answer_of({"statusCode": 204}).body == b""


def test_an_unknown_route_is_not_found_in_the_form_of_the_api() -> None:
    answer = echo_gateway().answer(Request("GET", "/nowhere"))
    assert answer.status == 404
    error = json.loads(answer.body)["error"]
    assert error.keys() == {"code", "message", "request_id", "retryable"}
    assert dict(answer.headers)["cache-control"] == "no-store"
    assert (error["code"], error["retryable"]) == ("not_found", False)


def test_what_a_handler_raises_is_500_and_logged_without_its_message(tmp_path: Path) -> None:
    """A message may quote what a user said."""
    log = tmp_path / "log"
    gateway = Gateway(
        ROUTES,
        {"Failing": fail},
        clock=ManualClock(),
        entropy=SeededEntropy(),
        log=HandlerLog(log),
    )
    answer = gateway.answer(Request("GET", "/v1/fail"))
    assert answer.status == 500
    error = json.loads(answer.body)["error"]
    assert error["code"] == "internal"
    assert b"secret" not in answer.body
    line = json.loads(log.read_text())
    assert "secret" not in log.read_text()
    assert line["error_type"] == "LookupError"
    assert line["function_request_id"] == error["request_id"]
    assert line["function_name"] == "Failing"
    assert line["timestamp"] == "2026-01-01T00:00:00Z"
    assert line["where"][-1].endswith(" fail")


@pytest.mark.parametrize("result", [None, {}, {"statusCode": 200, "body": {}}, "text"])
def test_a_result_that_is_none_is_500(result: object) -> None:
    handlers = {"Echo": lambda _event, _context: result}
    gateway = Gateway(ROUTES, handlers, clock=ManualClock(), entropy=SeededEntropy())
    assert gateway.answer(Request("GET", "/v1/things")).status == 500


def test_one_event_is_handled_at_a_time_in_a_process() -> None:
    """Two gateways, eight threads: Powertools would mix up their events otherwise."""
    inside: list[int] = []
    most: list[int] = []

    def watch(_event: dict[str, Any], _context: object) -> dict[str, Any]:
        inside.append(1)
        most.append(len(inside))
        threading.Event().wait(0.002)
        inside.pop()
        return {"statusCode": 200}

    gateways = [
        Gateway(ROUTES, {ECHO.name: watch}, clock=ManualClock(), entropy=SeededEntropy())
        for _ in range(2)
    ]
    threads = [
        threading.Thread(target=gateways[i % 2].answer, args=(Request("GET", "/v1/things"),))
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_bytes_beyond_ascii_in_a_target_are_percent_encoded() -> None:
    assert ascii_target("/v1/é?q=\x1b[2J%20".encode().decode("latin-1")) == "/v1/%C3%A9?q=%1B[2J%20"
