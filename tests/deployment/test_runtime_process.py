"""A function's process in Lambda: its start, its deadline, what it keeps, what it prints."""

import dataclasses
import json
import logging
from pathlib import Path
from typing import Any, Final

import pytest

from deployment.moto_account import Account, Json
from deployment.template_functions import FUNCTIONS, sample_event
from emulation.lambda_sandbox import Deployed, InvocationFailedError, Sandbox

pytestmark = pytest.mark.slow

SECRET: Final = "zebra-4417"
# Broken settings of a function that holds keys.
BROKEN: Final = [
    {"EVERTURN_GATEWAY_HEADERS": f'{{"x-key": "{SECRET}"'},
    {"EVERTURN_GATEWAY_KEY": f"{SECRET} and a blank", "EVERTURN_GATEWAY_URL": "https://g.test/v1"},
    {"EVERTURN_PROVIDER_URL": f"https://user:{SECRET}@p.test/v1"},
    {"EVERTURN_QUEUE_DEPTH": "many"},
]


def _without(function: Deployed, variable: str) -> Deployed:
    kept = {name: value for name, value in function.variables.items() if name != variable}
    return dataclasses.replace(function, variables=kept)


def _failed_start(sandbox: Sandbox) -> InvocationFailedError:
    with pytest.raises(InvocationFailedError) as caught:
        sandbox.invoke({})
    assert caught.value.kind == "init error"
    return caught.value


@pytest.mark.parametrize("name", FUNCTIONS)
def test_without_a_store_a_function_does_not_start_and_one_line_says_why(
    account: Account, name: str
) -> None:
    sandbox = account.sandbox(_without(account.deployed(name), "EVERTURN_STORE"))

    told = _failed_start(sandbox).told

    assert told["errorType"] == "MisconfiguredError"
    assert told["errorMessage"] == "no store is named, set EVERTURN_STORE"
    lines = sandbox.log.read_text(encoding="utf-8").splitlines()
    assert lines.count("[ERROR] MisconfiguredError: no store is named, set EVERTURN_STORE") == 1


@pytest.mark.parametrize("variables", BROKEN, ids="+".join)
def test_a_start_that_fails_names_the_variable_and_tells_no_secret(
    account: Account, variables: dict[str, str]
) -> None:
    sandbox = account.sandbox(account.deployed("Consolidate", variables))

    told = _failed_start(sandbox).told

    assert told["errorType"] == "MisconfiguredError"
    assert any(name in told["errorMessage"] for name in variables)
    assert SECRET not in json.dumps(told) + sandbox.log.read_text(encoding="utf-8")


PROBE = """
import os, time
def handler(event, context):
    time.sleep(event.get("sleep_s", 0))
    return {"left_ms": context.get_remaining_time_in_millis(), "pid": os.getpid(),
            "arn": context.invoked_function_arn, "text": "x" * event.get("size", 0)}
"""


@pytest.fixture
def probe(account: Account, tmp_path: Path) -> Sandbox:
    """A function of two seconds that says what it was told."""
    (tmp_path / "app.py").write_text(PROBE, encoding="utf-8")
    deployed = dataclasses.replace(account.deployed("Append", code=tmp_path), timeout_s=2.0)
    return account.sandbox(deployed)


def test_a_function_is_told_how_much_time_is_left(probe: Sandbox) -> None:
    seen = probe.invoke({})
    assert 1_000 < seen["left_ms"] <= 2_000
    assert seen["arn"].endswith(":function:Append")


def test_a_function_that_takes_too_long_is_ended_and_the_next_call_starts_another(
    probe: Sandbox,
) -> None:
    first = probe.invoke({})
    with pytest.raises(InvocationFailedError) as caught:
        probe.invoke({"sleep_s": 60})
    assert caught.value.kind == "timeout"
    assert probe.invoke({})["pid"] != first["pid"]


def test_an_answer_above_the_limit_of_lambda_is_none(probe: Sandbox) -> None:
    """Nobody would notice one of ours that has grown too large, if this let it through."""
    assert len(probe.invoke({"size": 5_000_000})["text"]) == 5_000_000
    with pytest.raises(InvocationFailedError):
        probe.invoke({"size": 7_000_000})
    assert probe.invoke({})["text"] == ""


def test_a_warm_append_is_one_request_of_the_process_that_ran_before(
    account: Account, caplog: pytest.LogCaptureFixture
) -> None:
    append = account.running("Append")
    _append(append, "warm", "one")
    process = append.pid
    # What moto's server says of each request.
    with caplog.at_level(logging.INFO, logger="werkzeug"):
        _append(append, "warm", "two")

    bucket = account.names["DataBucket"]
    asked = [record.getMessage() for record in caplog.records if bucket in record.getMessage()]
    assert [message.split('"')[1].split()[0] for message in asked] == ["PUT"]
    assert append.pid == process


def _append(sandbox: Sandbox, id_: str, text: str) -> Json:
    asked = sample_event("append_iam")
    asked["pathParameters"] = {"id": id_}
    asked["body"] = json.dumps({"turns": [{"role": "user", "text": text}]})
    del asked["headers"]["idempotency-key"]
    answer: Json = sandbox.invoke(asked)
    return answer


def _printed(sandbox: Sandbox) -> list[Json]:
    """Every line so far; each must be an object of JSON."""
    text = sandbox.log.read_text(encoding="utf-8")
    lines: list[Any] = [json.loads(line) for line in text.splitlines()]
    assert all(isinstance(line, dict) for line in lines)
    return lines


def test_an_invocation_prints_json_lines_with_its_request_id_and_one_of_metrics(
    account: Account,
) -> None:
    """None of them holds what was said."""
    sandbox = account.sandbox(account.deployed("Append"))
    for number in range(2):
        before = len(_printed(sandbox)) if number else 0
        assert _append(sandbox, "printed", SECRET)["statusCode"] == 200
        lines = _printed(sandbox)[before:]
        metrics = [line for line in lines if "_aws" in line]
        assert [line["Requests"] for line in metrics] == [[1.0]]
        assert metrics[0]["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Everturn"
        ids = {line["function_request_id"] for line in lines if "_aws" not in line}
        assert ids <= {f"00000000-0000-4000-8000-{number + 1:012d}"}
    assert SECRET not in sandbox.log.read_text(encoding="utf-8")


def test_a_fault_is_one_line_with_its_request_id_and_without_what_was_said(
    account: Account,
) -> None:
    """The runtime has a handler of its own for log lines, which must not print them again."""
    body = json.dumps({"turns": SECRET}).encode()
    account.put("DataBucket", "c/default/alice/broken.json", body)
    sandbox = account.sandbox(account.deployed("Append"))

    answer = _append(sandbox, "broken", SECRET)

    assert answer["statusCode"] == 500
    faults = [line for line in _printed(sandbox) if line.get("level") == "ERROR"]
    assert [line["code"] for line in faults] == ["corrupt_record"]
    assert faults[0]["function_request_id"] == "00000000-0000-4000-8000-000000000001"
    assert SECRET not in sandbox.log.read_text(encoding="utf-8")
