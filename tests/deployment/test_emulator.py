"""A function under AWS's own emulator of Lambda: it answers, and in time, or it is ended."""

import dataclasses
import json
import platform
from pathlib import Path
from typing import Final

import pytest

from deployment.moto_account import Account
from deployment.stalled_aws import behind_a_silent_proxy
from deployment.template_functions import sample_event
from emulation.aws_emulator import running_emulator
from emulation.stalled_server import stalled_server
from everturn.adapters.system_clock import SystemClock

pytestmark = pytest.mark.slow

# As its wheel names the machines.
_MACHINES: Final = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}


@pytest.fixture(scope="session")
def binary(sam: Path) -> Path:
    """The emulator that comes with the SAM CLI, for the containers of `sam local`."""
    name = f"aws-lambda-rie-{_MACHINES[platform.machine()]}"
    [found] = sam.parent.parent.glob(f"lib/python*/site-packages/samcli/local/rapid/{name}")
    return found


def test_an_append_answers_under_the_emulator(
    account: Account, binary: Path, tmp_path: Path
) -> None:
    function, log = account.deployed("Append"), tmp_path / "log"
    with running_emulator(binary, function, client=account.client, log=log) as emulator:
        first, again = (json.loads(emulator.invoke(sample_event("append_iam"))) for _ in range(2))
    assert (first["statusCode"], again["statusCode"]) == (200, 200)
    assert (json.loads(first["body"])["replayed"], json.loads(again["body"])["replayed"]) == (
        False,
        True,
    )


def test_a_store_that_stalls_is_a_503_before_the_emulator_ends_the_function(
    account: Account, binary: Path, tmp_path: Path
) -> None:
    with stalled_server() as url:
        function = behind_a_silent_proxy(account.deployed("Append"), url)
        with running_emulator(
            binary, function, client=account.client, log=tmp_path / "log"
        ) as emulator:
            # It starts with the first event that it can refuse by itself.
            emulator.invoke(sample_event("append_no_authorizer"))
            began_s = SystemClock().monotonic_s()
            answer = json.loads(emulator.invoke(sample_event("append_iam")))
            took_s = SystemClock().monotonic_s() - began_s

    assert answer["statusCode"] == 503
    assert json.loads(answer["body"])["error"]["retryable"] is True
    assert took_s < function.timeout_s


def test_a_function_beyond_its_timeout_is_ended_and_the_next_event_is_answered(
    account: Account, binary: Path, tmp_path: Path
) -> None:
    with stalled_server() as url:
        function = behind_a_silent_proxy(account.deployed("Append"), url)
        function = dataclasses.replace(function, timeout_s=3.0)
        log = tmp_path / "log"
        with running_emulator(binary, function, client=account.client, log=log) as emulator:
            emulator.invoke(sample_event("append_no_authorizer"))
            ended = emulator.invoke(sample_event("append_iam"))
            refused = json.loads(emulator.invoke(sample_event("append_no_authorizer")))

    assert "timed out after 3" in ended
    assert refused["statusCode"] == 401
