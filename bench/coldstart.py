"""From the start of a process to its first answer: each function, and an empty handler beside it.

Each runs under AWS's runtime from the built layer alone, as it lies in Lambda; the empty handler
has a Powertools resolver with validation and one boto3 client. S3 and SQS answer on loopback, and
hold one conversation.
"""

import json
import math
import os
import statistics
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from fixed_aws import QUEUES, fixed_aws
from import_times import import_ms
from leftovers import leaving_nothing
from measuring import Row, options, report, write_rows

ROOT: Final = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

# ruff: noqa: E402 - they lie beside the tests
from deployment.built_layer import build_layer
from deployment.template_functions import (
    FUNCTIONS,
    TICK,
    deployed_function,
    queue_event,
    sample_event,
)
from emulation.lambda_sandbox import Deployed, Sandbox, Timing, lay_out_client

EMPTY: Final = "empty handler"
EMPTY_APP: Final = """
import boto3
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from pydantic import BaseModel
class Body(BaseModel):
    turns: list[dict[str, str]]
client = boto3.client("s3")
app = APIGatewayHttpResolver(enable_validation=True)
@app.post("/v1/conversations/<id_>/turns")
def append(id_: str, body: Body) -> dict[str, int]:
    return {"appended": len(body.turns)}
handler = app.resolve
"""
JOB: Final = {"tenant": "default", "actor": "alice", "conversation_id": "trip-to-lisbon"}
EVENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    EMPTY: sample_event("append_iam"),
    "Actor": sample_event("export_scope_iam"),
    "Append": sample_event("append_iam"),
    "Consolidate": queue_event(("m", json.dumps(JOB))),
    "Conversations": sample_event("get_iam"),
    "Documents": sample_event("get_document_iam"),
    "List": sample_event("list_iam"),
    "Patterns": sample_event("record_outcome_iam"),
    "Recall": sample_event("recall_across_iam"),
    "Remember": sample_event("remember_iam"),
    "Retrieve": sample_event("retrieve_iam"),
    "Sweep": TICK,
    "Turns": sample_event("redact_turn_iam"),
}
# What a function of the API answers of that one conversation, and of a memory that is not there.
STATUSES: Final = (200, 201, 404)
QUICK: Final = (EMPTY, "Append", "List")
WARM: Final = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """Milliseconds of one start, of the first answer and of later ones; MiB at the highest.

    `cpu_ms` is of the start and the first answer, in steps of 10 ms: what other programs on the
    machine slow down less.
    """

    start_ms: float
    first_ms: float
    cpu_ms: float
    warm_ms: float
    peak_mib: float


@contextmanager
def functions(names: Sequence[str], *, checkout: bool) -> Iterator[tuple[list[Deployed], Path]]:
    """Lay out what runs; yields it, and the folder of the runtime client."""
    with TemporaryDirectory() as place, fixed_aws() as aws:
        folder = Path(place)
        for part in ("layer", "client", "empty"):
            (folder / part).mkdir()
        layer = link_checkout(folder / "layer") if checkout else build_layer(folder / "layer")
        (folder / "empty" / "app.py").write_text(EMPTY_APP, encoding="utf-8")
        buckets = {"DataBucket": "data", "DerivedBucket": "derived"}
        ours = [
            deployed_function(name, layer=layer, names=buckets | QUEUES, variables=aws)
            for name in names
            if name != EMPTY
        ]
        empty = Deployed(EMPTY, folder / "empty", layer, aws)
        yield [empty, *ours], lay_out_client(folder / "client")


def link_checkout(layer: Path) -> Path:
    """Make a layer of the checkout and of all that is installed beside it."""
    target = layer / "python"
    target.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        (target / path.name).symlink_to(path)
    (target / "everturn").unlink(missing_ok=True)
    (target / "everturn").symlink_to(ROOT / "shared" / "everturn")
    return layer


def measured(function: Deployed, client: Path) -> Sample:
    """Start one process, let it answer, and end it."""
    sandbox = Sandbox(function, client=client, log=Path("/dev/null"))
    try:
        first, first_cpu_ms = answered(sandbox), process_cpu_ms(sandbox.pid)
        later = [answered(sandbox).until_answered_s * 1e3 for _ in range(WARM)]
        return Sample(
            start_ms=first.until_taken_s * 1e3,
            first_ms=first.until_answered_s * 1e3,
            cpu_ms=first_cpu_ms,
            warm_ms=statistics.median(later),
            peak_mib=high_water_mib(sandbox.pid),
        )
    finally:
        sandbox.close()


def answered(sandbox: Sandbox) -> Timing:
    """Have its event answered, and rightly."""
    answer = sandbox.invoke(dict(EVENTS[sandbox.function.name]))
    assert answer.get("statusCode", 200) in STATUSES, answer
    assert not answer.get("batchItemFailures"), answer
    assert answer.get("complete", True), answer
    return sandbox.newest


def process_cpu_ms(pid: int) -> float:
    """Return the CPU that a process has used, all threads together."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return math.nan
    # After the program's name in brackets; user and system time are fields 14 and 15.
    # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    fields = status.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def high_water_mib(pid: int) -> float:
    """Return the most memory that a process has had.

    Not ru_maxrss, which begins with what the process had before it became another program:
    https://man7.org/linux/man-pages/man2/getrusage.2.html
    """
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return math.nan
    lines = status.read_text(encoding="ascii", errors="replace").splitlines()
    [kib] = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(kib) / 1_024


def imported_ms(function: Deployed, client: Path, log: Path) -> dict[str, float]:
    """Return milliseconds of imports by package, from a start to the first answer."""
    sandbox = Sandbox(function, client=client, log=log, options=("-X", "importtime"))
    try:
        answered(sandbox)
        return import_ms(log.read_text(encoding="utf-8", errors="replace").splitlines())
    finally:
        sandbox.close()


def times_row(name: str, samples: Sequence[Sample], empty_ms: float) -> Row:
    """Return the medians of one function."""
    start_ms = statistics.median(sample.start_ms for sample in samples)
    first_ms = statistics.median(sample.first_ms for sample in samples)
    total_ms = statistics.median(sample.start_ms + sample.first_ms for sample in samples)
    return {
        "function": name,
        "start ms": start_ms,
        "first answer ms": first_ms,
        "together ms": total_ms,
        "of empty": total_ms / empty_ms,
        "CPU ms": statistics.median(sample.cpu_ms for sample in samples),
        "warm answer ms": statistics.median(sample.warm_ms for sample in samples),
        "peak MiB": max(sample.peak_mib for sample in samples),
    }


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "", times=11)
    times = 1 if asked.quick else asked.times
    names = QUICK if asked.quick else (EMPTY, *FUNCTIONS)
    with functions(names, checkout=asked.quick) as (all_, client):
        samples: dict[str, list[Sample]] = {function.name: [] for function in all_}
        for _ in range(times):
            for function in all_:
                samples[function.name].append(measured(function, client))
        imports = [
            imported_ms(function, client, client / f"{function.name}.log") for function in all_
        ]
    empty_ms = statistics.median(one.start_ms + one.first_ms for one in samples[EMPTY])
    rows = [times_row(name, taken, empty_ms) for name, taken in samples.items()]
    spent: list[Row] = [
        {"function": name, **{f"{kind} ms": ms for kind, ms in by_kind.items()}}
        for name, by_kind in zip(samples, imports, strict=True)
    ]
    report(f"start to first answer, median of {times} interleaved starts", rows, None)
    report("imports until the first answer, one start, slowed by being measured", spent, None)
    if asked.json is not None:
        write_rows([{**row, **more} for row, more in zip(rows, spent, strict=True)], asked.json)


if __name__ == "__main__":
    leaving_nothing(main)
