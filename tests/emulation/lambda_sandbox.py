"""An execution environment of Lambda: one process that runs one function under AWS's own runtime.

The process sees nothing of the tests' own environment: neither its packages nor its variables.
"""

import contextlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from emulation.runtime_api import Happening, RuntimeApi
from everturn.adapters.system_clock import SystemClock

Json = dict[str, Any]
# The runtime client, and what it needs: Lambda has it in /var/runtime.
_CLIENT: Final = ("awslambdaric", "simplejson", "snapshot-restore-py")
# Lambda gives a start 10 s, on a machine that does nothing else.
# https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
_START_S: Final = 120.0
_END_S: Final = 5.0
# How much later than its timeout a process is ended here: a busy machine may be slow to tell.
_GRACE_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Deployed:
    """A function as it lies in Lambda: `code` in /var/task, `layer` in /opt."""

    name: str
    code: Path
    layer: Path
    variables: Mapping[str, str]
    handler: str = "app.handler"
    runtime: str = "python3.13"
    timeout_s: float = 20.0
    memory_mb: int = 512


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds that an event waited, through a start if there was one, and that it took."""

    until_taken_s: float
    until_answered_s: float


class InvocationFailedError(Exception):
    """No response: `kind` says what came instead, `told` what the runtime said of it."""

    def __init__(self, kind: str, told: Json) -> None:
        super().__init__(f"{kind} {json.dumps(told)[:2_000]}")
        self.kind = kind
        self.told = told


def lay_out_client(folder: Path) -> Path:
    """Copy the runtime client of this environment into a folder of its own; return it."""
    for name in _CLIENT:
        files = importlib.metadata.distribution(name).files or []
        for file in files:
            if file.suffix == ".pyc" or ".." in file.parts:
                continue
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)
    return folder


def lambda_environment(function: Deployed) -> dict[str, str]:
    """Return the variables that Lambda sets itself, and those of the function.

    https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
    """
    return {
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "PATH": os.defpath,
        "_HANDLER": function.handler,
        "LAMBDA_TASK_ROOT": str(function.code),
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "ASIATESTING",
        "AWS_SECRET_ACCESS_KEY": "testing-secret-key",
        "AWS_SESSION_TOKEN": "testing-session-token",
        "AWS_EXECUTION_ENV": f"AWS_Lambda_{function.runtime}",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "2026/01/01/[$LATEST]0",
        **function.variables,
    }


def python_environment(function: Deployed, client: Path) -> dict[str, str]:
    """Return what makes Python see the layer and the runtime client, and nothing else.

    /opt and /var/task cannot be written to.
    """
    path = os.pathsep.join((str(function.layer / "python"), str(client)))
    return {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def python_command(handler: str, options: Sequence[str] = ()) -> list[str]:
    """Return the command of the runtime; -S keeps this environment's packages away."""
    return [sys.executable, "-S", *options, "-m", "awslambdaric", handler]


class Sandbox:
    """Runs one process, and starts another when that has ended, as Lambda does."""

    def __init__(
        self, function: Deployed, *, client: Path, log: Path, options: Sequence[str] = ()
    ) -> None:
        """Start nothing yet; all that the process prints is added to `log`."""
        self.function = function
        self.log = log
        self.newest = Timing(0.0, 0.0)
        self._clock = SystemClock()
        self._client = client
        self._options = options
        self._happened: SimpleQueue[Happening] = SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._api: RuntimeApi | None = None

    @property
    def pid(self) -> int:
        """The process that runs now; it must have been started."""
        assert self._process is not None
        return self._process.pid

    def invoke(self, event: Json) -> Any:  # noqa: ANN401 - any JSON
        """Return what the function answers.

        Raises:
            InvocationFailedError: it failed (`error`), did not start (`init error`, `exit`), or
                took longer than its timeout (`timeout`) and was ended.
        """
        begun_s = self._clock.monotonic_s()
        api = self._api or self._start()
        api.send(json.dumps(event).encode())
        self._expect({"taken"}, _START_S)
        taken_s = self._clock.monotonic_s()
        happening = self._expect({"response", "error"}, self.function.timeout_s + _GRACE_S)
        self.newest = Timing(taken_s - begun_s, self._clock.monotonic_s() - taken_s)
        answer = json.loads(happening.body)
        if happening.kind == "error":
            raise InvocationFailedError("error", answer)
        return answer

    def _start(self) -> RuntimeApi:
        # A queue of its own: the last words of an ended process are nobody's.
        happened: SimpleQueue[Happening] = SimpleQueue()
        function = self.function
        api = RuntimeApi(function.name, function.timeout_s, self._clock, happened.put)
        environment = {
            **lambda_environment(function),
            **python_environment(function, self._client),
            "AWS_LAMBDA_RUNTIME_API": api.start(),
        }
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                python_command(function.handler, self._options),
                cwd=function.code, env=environment, stdout=log, stderr=log,
            )  # fmt: skip
        threading.Thread(target=_watch, args=(process, happened), daemon=True).start()
        self._happened, self._process, self._api = happened, process, api
        return api

    def _expect(self, kinds: set[str], within_s: float) -> Happening:
        try:
            happening = self._happened.get(timeout=within_s)
        except Empty:
            happening = None
        if happening and happening.kind in kinds:
            return happening
        self.close()
        if happening is None:
            raise InvocationFailedError("timeout", {"seconds": within_s})
        raise InvocationFailedError(happening.kind, json.loads(happening.body or b"{}"))

    def close(self) -> None:
        """End the process, if one runs."""
        if self._process is None or self._api is None:
            return
        process, api = self._process, self._api
        self._process = self._api = None
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)
        api.stop()


def _watch(process: "subprocess.Popen[bytes]", happened: SimpleQueue[Happening]) -> None:
    status = process.wait()
    happened.put(Happening("exit", json.dumps({"status": status}).encode()))
