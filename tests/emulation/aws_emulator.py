"""AWS's own emulator of Lambda (the Runtime Interface Emulator), which ends what takes too long.

It is a program without Docker:
https://github.com/aws/aws-lambda-runtime-interface-emulator
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from emulation.lambda_sandbox import (
    Deployed,
    lambda_environment,
    python_command,
    python_environment,
)

_INVOKE: Final = "/2015-03-31/functions/function/invocations"
_START_S: Final = 60
# Longer than any function of the API may take, and its start on a busy machine.
_ANSWER_S: Final = 60


@dataclass(frozen=True, slots=True)
class Emulator:
    """A function that answers on loopback."""

    url: str

    def invoke(self, event: dict[str, Any]) -> str:
        """Return what the emulator answers, which after a timeout is a sentence of its own."""
        sent = json.dumps(event).encode()
        request = urllib.request.Request(self.url + _INVOKE, data=sent)  # noqa: S310 - our own http://
        with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:  # noqa: S310
            body: bytes = answer.read()
        return body.decode()


@contextmanager
def running_emulator(
    binary: Path, function: Deployed, *, client: Path, log: Path
) -> Iterator[Emulator]:
    """Run a function under the emulator; it ends with the block, and what it started too."""
    port, api_port = _free_ports()
    environment = {
        **lambda_environment(function),
        **python_environment(function, client),
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(int(function.timeout_s)),
    }
    # Without both addresses it listens on all of this machine's.
    command = [
        str(binary),
        "--runtime-interface-emulator-address", f"127.0.0.1:{port}",
        "--runtime-api-address", f"127.0.0.1:{api_port}",
        *python_command(function.handler),
    ]  # fmt: skip
    with log.open("ab") as out:
        process = subprocess.Popen(
            command, cwd=function.code, env=environment, stdout=out, stderr=out,
            start_new_session=True,
        )  # fmt: skip
    try:
        _wait_until_up(process, port, log)
        yield Emulator(f"http://127.0.0.1:{port}")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_ports() -> tuple[int, int]:
    with ExitStack() as held:
        both = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        first, second = (listener.getsockname()[1] for listener in both)
        return first, second


def _wait_until_up(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    for _ in range(_START_S * 20):
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)  # noqa: TID251 - waits for a foreign process
        else:
            return
    pytest.fail(f"the emulator did not start: {log.read_text(errors='replace')[-800:]}")
