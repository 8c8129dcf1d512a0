"""A process whose environment asks for events and traces: what users say is logged nowhere."""

import re
from pathlib import Path

import httpx

from cli.everturn_process import everturn_up
from functions.every_route import CALLS
from functions.house import Json

SECRET = "zebra-4417"
NAMES = {"id": SECRET, "number": "0", "rid": "0" * 32, "space": SECRET, "key": SECRET}
# https://docs.powertools.aws.dev/lambda/python/latest/#environment-variables
VARIABLES = {
    "POWERTOOLS_LOGGER_LOG_EVENT": "true",
    "POWERTOOLS_LOGGER_SAMPLE_RATE": "1",
    "POWERTOOLS_LOG_LEVEL": "DEBUG",
    "POWERTOOLS_DEV": "true",
    "POWERTOOLS_DEBUG": "true",
    "AWS_LAMBDA_LOG_LEVEL": "DEBUG",
}


def test_no_variable_makes_a_process_log_what_users_say(tmp_path: Path) -> None:
    with everturn_up("--dir", "store", cwd=tmp_path, environment=VARIABLES) as up:
        with httpx.Client(base_url=_url_in(up.banner), timeout=60) as client:
            for call in CALLS:
                body = None if call.body is None else {**call.body, **_said(call.body)}
                client.request(
                    call.method,
                    call.path(NAMES),
                    json=body,
                    params={"q": SECRET, "prefix": SECRET},
                    headers={"idempotency-key": SECRET},
                )
        up.process.terminate()
        told = up.process.communicate(timeout=60)[0]
    logs = [path.read_text() for path in (tmp_path / "store").rglob("*.log")]
    # The access log of one's own machine names paths; the handlers' lines name nothing.
    errors = (tmp_path / "up.err").read_text().splitlines()
    lines = [line for line in errors if not line.endswith(" ms")]
    assert SECRET not in "\n".join([told, *lines, *logs])


def _said(body: Json) -> Json:
    """The fields of a body in which a user says something, saying it."""
    return {name: SECRET for name in ("query", "text", "title", "value", "goal") if name in body}


def _url_in(banner: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:\d+", banner)
    assert found, banner
    return found[0]
