import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aws_lambda_powertools import Logger

from everturn.local.handler_log import HandlerLog
from local.echo import fail

SERVICE = "test-handler-log"


def _logger(log: HandlerLog) -> Logger:
    with log.own_loggers():
        return Logger(service=SERVICE)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def _context(name: str) -> SimpleNamespace:
    return SimpleNamespace(
        function_name=name, memory_limit_in_mb=1, invoked_function_arn="a", aws_request_id=name
    )


def _crash(log: HandlerLog) -> None:
    try:
        fail({}, None)
    except LookupError as error:
        log.crashed(error, function_name="Append", request_id="r1", now_ns=0)


def test_powertools_and_the_gateway_write_to_the_file_and_not_to_the_console(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "logs" / "everturn.log"
    log = HandlerLog(path)
    logger = _logger(log)
    logger.append_keys(request="r1")
    logger.info("told")
    _crash(log)
    told, crashed = _lines(path)
    assert (told["message"], told["request"]) == ("told", "r1")
    assert (crashed["message"], crashed["error_type"]) == ("crashed", "LookupError")
    assert "secret" not in path.read_text()
    assert capsys.readouterr() == ("", "")


def test_a_line_bears_the_name_of_the_function_that_wrote_it(tmp_path: Path) -> None:
    """Even one written after another function of the same service was called."""
    log = HandlerLog(tmp_path / "log")
    first, second = _logger(log), _logger(log)
    first.inject_lambda_context(lambda _event, _context: None)({}, _context("Append"))
    second.inject_lambda_context(lambda _event, _context: None)({}, _context("List"))
    first.info("late")
    second.info("own")
    names = [(line["message"], line["function_name"]) for line in _lines(tmp_path / "log")]
    assert names == [("late", "Append"), ("own", "List")]


def test_two_logs_of_one_process_are_two(tmp_path: Path) -> None:
    one = _logger(HandlerLog(tmp_path / "one"))
    two = _logger(HandlerLog(tmp_path / "two"))
    one.info("first")
    two.info("second")
    assert [line["message"] for line in _lines(tmp_path / "one")] == ["first"]
    assert [line["message"] for line in _lines(tmp_path / "two")] == ["second"]


def test_a_logger_of_somebody_else_stays_theirs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = Logger(service=f"{SERVICE}-theirs")
    _logger(HandlerLog(tmp_path / "log")).info("ours")
    theirs.info("theirs")
    assert logging.getLogger(f"{SERVICE}-theirs") is theirs._logger
    assert '"message":"theirs"' in capsys.readouterr().out
    assert [line["message"] for line in _lines(tmp_path / "log")] == ["ours"]


def test_nothing_is_made_until_something_is_logged(tmp_path: Path) -> None:
    _logger(HandlerLog(tmp_path / "logs" / "everturn.log"))
    assert list(tmp_path.iterdir()) == []


def test_nowhere_is_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    log = HandlerLog(None)
    _logger(log).info("told")
    _crash(log)
    assert capsys.readouterr() == ("", "")


def test_a_log_that_cannot_be_written_is_one_line_and_stops_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "logs" / "everturn.log"
    log = HandlerLog(path)
    _logger(log).info("told")
    _crash(log)
    assert capsys.readouterr().err == f"cannot write the log: not a directory log={path}\n" * 2


def test_what_the_caller_of_handlers_notices_is_one_line(tmp_path: Path) -> None:
    log = HandlerLog(tmp_path / "log")
    log.tell("a job failed", now_ns=0, receives=2)
    assert _lines(tmp_path / "log") == [
        {
            "level": "WARNING",
            "message": "a job failed",
            "timestamp": "1970-01-01T00:00:00Z",
            "receives": 2,
        }
    ]
