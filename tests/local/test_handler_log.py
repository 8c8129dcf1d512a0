import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from aws_lambda_powertools import Logger

from everturn.local.handler_log import FRONT_LOGGER, log_to


@pytest.fixture(autouse=True)
def _nowhere_afterwards() -> Iterator[None]:
    yield
    log_to(None)


def test_powertools_and_the_gateway_write_to_the_file_and_not_to_the_console(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = Logger(service="test-handler-log-file")
    path = tmp_path / "logs" / "everturn.log"
    log_to(path)
    logger.append_keys(request="r1")
    logger.info("told")
    logging.getLogger(FRONT_LOGGER).error("failed")
    text = path.read_text()
    assert '"message":"told"' in text
    assert '"request":"r1"' in text
    assert "failed" in text
    assert capsys.readouterr() == ("", "")


def test_nothing_is_made_until_something_is_logged(tmp_path: Path) -> None:
    log_to(tmp_path / "logs" / "everturn.log")
    assert list(tmp_path.iterdir()) == []


def test_nowhere_is_nowhere(capsys: pytest.CaptureFixture[str]) -> None:
    logger = Logger(service="test-handler-log-nowhere")
    log_to(None)
    logger.info("told")
    logging.getLogger(FRONT_LOGGER).error("failed")
    assert capsys.readouterr() == ("", "")
