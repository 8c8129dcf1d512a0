"""The emulation as a real child process."""

import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from emulation.long_timeouts import long_timeouts
from everturn.adapters.aws.sqs_queue import SqsQueue, make_client
from everturn.adapters.system_clock import ManualClock
from everturn.local.emulation.emulated_aws import (
    DATA_BUCKET,
    DERIVED_BUCKET,
    EmulatedAws,
    emulated_aws,
)
from everturn.local.environment import environment_of
from everturn.ports.queue import MAX_RECEIVES
from everturn.settings.process import read_settings
from everturn.values.job import Job
from everturn.values.keys import Scope

_PARENT = """
import sys
from everturn.local.emulation.emulated_aws import emulated_aws
with emulated_aws() as aws:
    print(aws.url, flush=True)
    sys.stdin.read()
"""


def test_it_answers_with_its_buckets_until_its_parent_is_killed(tmp_path: Path) -> None:
    """The data bucket is versioned. Nobody is left to end the child but the child itself."""
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        url = parent.stdout.readline().strip()
        try:
            _check_buckets(url)
        finally:
            parent.kill()
    _wait_until_gone(url)


def _check_buckets(url: str) -> None:
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        listing = client.get("/").text
        assert f"<Name>{DATA_BUCKET}</Name>" in listing
        assert f"<Name>{DERIVED_BUCKET}</Name>" in listing
        assert "Enabled" in client.get(f"/{DATA_BUCKET}", params={"versioning": ""}).text
        assert "Enabled" not in client.get(f"/{DERIVED_BUCKET}", params={"versioning": ""}).text


def test_a_process_that_uses_it_uses_nothing_else_of_aws() -> None:
    """A profile or a session token of the machine's owner must not meet the dummy keys."""
    environment = EmulatedAws("http://127.0.0.1:1", 0).process_environment
    assert environment["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert environment["AWS_ACCESS_KEY_ID"] == environment["AWS_SECRET_ACCESS_KEY"] == "testing"
    for name in (
        "AWS_PROFILE",
        "AWS_SESSION_TOKEN",
        "AWS_ENDPOINT_URL_S3",
        "AWS_ENDPOINT_URL_SQS",
    ):
        assert environment[name] is None


def test_its_queue_hands_a_job_out_five_times_and_then_to_the_dead_letters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the template's does; and an offer settles for as long as on one's own machine."""
    monkeypatch.delenv("EVERTURN_SETTLE_S", raising=False)
    with emulated_aws() as aws:
        for name, value in aws.process_environment.items():
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)
        named = read_settings(environment_of(aws.handler_settings)).queue
        assert named is not None
        assert (named.kind, named.settle_s) == ("sqs", 2)
        with long_timeouts():
            client = make_client()
        queue = SqsQueue(
            queue_url=named.url,
            dead_letters_url=named.dead_letters_url,
            max_depth=1,
            client=lambda: client,
            clock=ManualClock(),
        )
        queue.offer(Job(Scope("t", "a"), "c"), delay_s=0)
        for receives in range(1, MAX_RECEIVES + 1):
            (lease,) = queue.claim(1, lease_s=60)
            assert lease.receives == receives
            queue.give_back(lease, delay_s=0)
        assert queue.claim(1, lease_s=60) == []
        assert queue.count_dead() == 1
        client.close()


def _wait_until_gone(url: str) -> None:
    for _ in range(3_000):
        try:
            httpx.get(url, trust_env=False, timeout=1)
        except httpx.ConnectError:
            return
        except httpx.TransportError:
            pass
        threading.Event().wait(0.02)
    pytest.fail("the emulation is still there")
