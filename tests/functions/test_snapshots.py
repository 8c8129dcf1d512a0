"""What Lambda may keep of a process that has loaded a function, and start again in many copies.

The rules are those of
https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[2] / "functions"
EVENTS = Path(__file__).parents[1] / "events"
ENVIRONMENT = {
    "AWS_DEFAULT_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x",
    "EVERTURN_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/1/jobs",
    "EVERTURN_DEAD_LETTERS_URL": "https://sqs.us-east-1.amazonaws.com/1/dead",
    "POWERTOOLS_METRICS_NAMESPACE": "n", "POWERTOOLS_SERVICE_NAME": "s",
}  # fmt: skip
LOAD = """
import importlib.util, json, os, random, sys, threading
def load(app):
    spec = importlib.util.spec_from_file_location("app", app)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
"""
# A profile function sees calls of functions written in C, whoever holds them by whatever name.
WATCH = """
CLOCKS = {"time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
          "localtime", "gmtime"}
DATES = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
seen = set()
def watch(frame, event, called):
    if event != "c_call":
        return
    module, name = called.__module__, called.__qualname__
    kind = (
        "clock" if name in DATES or module == "time" and called.__name__ in CLOCKS
        else "randomness" if module in ("_random", "_uuid") or name.startswith("Random.")
        or called.__name__ in ("urandom", "getrandom")
        else "network" if module == "_socket" or name.startswith("socket.") else None
    )
    if kind:
        seen.add((kind, name.rpartition(".")[2], frame.f_globals["__name__"]))
threading.setprofile(watch)
sys.setprofile(watch)
"""
WATCHED = LOAD.replace("random, ", "") + WATCH
LOAD_ALL = """
for app in sys.argv[1:]:
    load(app)
sys.setprofile(None)
print(json.dumps(sorted(seen)))
"""
CONTROL = """
import datetime, os, socket, time, uuid
datetime.datetime.now()
time.time_ns()
os.urandom(1)
uuid.uuid4()
with socket.socket() as one:
    one.connect_ex(("127.0.0.1", 9))
sys.setprofile(None)
print(json.dumps(sorted(seen)))
"""
# What packages do that functions import, and why two copies may share it.
ALLOWED = {
    # `import logging` notes its start, for a field that no log line of ours has.
    ("clock", "time", "logging"),
    # In 3.13 the same by another name.
    ("clock", "time_ns", "logging"),
    # The default year of dates without one; no such date is parsed.
    ("clock", "localtime", "dateutil.parser._parser"),
    # `import random` seeds its own generator. botocore takes its waits between tries from it,
    # which may be equal in two copies; conditional writes are not tried again by botocore.
    ("randomness", "seed", "random"),
    # urllib3 asks whether there is IPv6, by a socket of this machine that it closes at once.
    ("network", "bind", "urllib3.util.connection"),
    ("network", "close", "socket"),
}
# One process, copied twice after loading: what each copy makes new.
COPIES = """
from everturn.adapters.system_clock import ManualClock, SystemClock
from everturn.values.keys import head_key, Scope
from everturn.errors import PreconditionFailedError
from everturn.local.invocation import LambdaContext
from everturn.storage.swap import Patience
conversations, append = load(sys.argv[1]), load(sys.argv[2])
create_event, append_event = (json.load(open(path)) for path in sys.argv[3:5])
create_event["body"] = "{}"
copied = random.Random()

def made_new():
    clock = SystemClock()
    context = LambdaContext("r", "f", clock, clock.monotonic_s() + 20)
    id_ = json.loads(conversations.handler(create_event, context)["body"])["conversation_id"]
    append_event["rawPath"] = f"/v1/conversations/{id_}/turns"
    append_event["pathParameters"] = {"id": id_}
    append_event["headers"].pop("idempotency-key", None)
    assert append.handler(append_event, context)["statusCode"] == 200
    parts = append.EDGE.backends
    head = parts.data.get(head_key(Scope("default", "alice"), id_))
    waited = ManualClock()
    patience = Patience(clock=waited, entropy=parts.entropy)
    for _ in range(4):
        patience.wait(doing="x", cause=PreconditionFailedError("x"))
    return {"id": id_, "write id": head.meta["w"][:16], "wait": waited.monotonic_s(),
            "copied": copied.random()}

for _ in range(2):
    read, write = os.pipe()
    if not os.fork():
        # What the handlers log goes nowhere; a copy that fails leaves its line empty.
        sys.stdout = open(os.devnull, "w")
        os.write(write, json.dumps(made_new()).encode())
        os._exit(0)
    os.close(write)
    os.wait()
    sys.stderr.write(os.read(read, 65_536).decode() + "\\n")
"""


def _run(
    program: str, *arguments: str, store: str = "s3://bucket"
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **ENVIRONMENT, "EVERTURN_STORE": store}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip


def _seen(program: str, *arguments: str) -> set[tuple[str, ...]]:
    written = _run(WATCHED + program, *arguments).stdout
    return {tuple(call) for call in json.loads(written.splitlines()[-1])}


def test_loading_the_functions_reads_no_clock_draws_no_randomness_and_opens_no_connection() -> None:
    """All in one process: what one of them does first, the others find done."""
    seen = _seen(LOAD_ALL, *map(str, sorted(FUNCTIONS.glob("*/app.py"))))
    assert not seen - ALLOWED
    assert not [call for call in seen if call[2].startswith("everturn")]


def test_whoever_did_would_be_seen() -> None:
    calls = {(kind, name) for kind, name, _ in _seen(CONTROL)}
    assert {("clock", "now"), ("clock", "time_ns"), ("network", "connect_ex")} <= calls
    assert ("randomness", "urandom") in calls


@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies a process as POSIX does")
def test_two_copies_of_a_loaded_process_make_different_ids_write_ids_and_waits(
    tmp_path: Path,
) -> None:
    """A generator that was made before is equal in both, as in copies of a snapshot."""
    apps = [str(FUNCTIONS / name / "app.py") for name in ("conversations", "append")]
    events = [str(EVENTS / f"{name}_iam.json") for name in ("create", "append")]
    done = _run(LOAD + COPIES, *apps, *events, store=str(tmp_path))
    one, other = (json.loads(line) for line in done.stderr.splitlines() if line.startswith("{"))
    assert {name for name in one if one[name] == other[name]} == {"copied"}
