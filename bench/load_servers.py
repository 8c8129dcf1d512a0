"""`everturn up` for the load: on a directory, and on a real S3 server with a queue beside it.

All of it listens on loopback alone, and ends with the block.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

# The S3 server is started as the tests start it.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from emulation.s3_endpoint import DUMMY_ENVIRONMENT, emulator_clients
from emulation.seaweed import running_seaweed
from everturn.local.emulation.emulated_aws import DATA_BUCKET, DERIVED_BUCKET, emulated_aws

_WORKERS = 2
_START_TIMEOUT_S, _LOOK_S = 60, 0.1
_END_TIMEOUT_S = 30
# What else would steer the server that is measured.
_FOREIGN = ("EVERTURN_", "AWS_", "POWERTOOLS_")


@contextmanager
def on_directory(folder: Path) -> Iterator[str]:
    """Serve from a directory, whose queue is its own; yields the URL."""
    with _up(folder, {"EVERTURN_STORE": str(folder / "store")}) as url:
        yield url


@contextmanager
def on_seaweed(folder: Path) -> Iterator[str]:
    """Serve from SeaweedFS, with the queue in SQS by moto; yields the URL."""
    with running_seaweed(folder) as s3_url, emulated_aws() as aws:
        clients = emulator_clients(s3_url)
        for bucket in (DATA_BUCKET, DERIVED_BUCKET):
            clients.writes.create_bucket(Bucket=bucket)
        told = {k: v for k, v in aws.handler_settings.items() if v is not None}
        endpoints = {"AWS_ENDPOINT_URL_S3": s3_url, "AWS_ENDPOINT_URL_SQS": aws.url}
        with _up(folder, {**DUMMY_ENVIRONMENT, **told, **endpoints}) as url:
            yield url


@contextmanager
def _up(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    everturn = Path(sys.executable).with_name("everturn")
    command = [str(everturn), "up", "--workers", str(_WORKERS), "--port", "0"]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
    log = folder / "up.log"
    with log.open("w") as lines:
        process = subprocess.Popen(  # noqa: S603 - our own program
            command, cwd=folder, env={**inherited, **environment}, stdout=lines, stderr=lines,
        )  # fmt: skip
    try:
        yield _address(process, log)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_END_TIMEOUT_S)
        finally:
            process.kill()
            process.wait()


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Return the address that it printed within so many seconds."""
    for _ in range(int(_START_TIMEOUT_S / _LOOK_S)):
        served = re.search(r" serves (\S+)$", log.read_text(), re.MULTILINE)
        if served:
            return served[1]
        if process.poll() is not None:
            break
        time.sleep(_LOOK_S)
    raise AssertionError(f"it does not serve: {log.read_text()}")
