"""Cases of steps one after the other: the house, the queue and the faults that each needs."""

from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from cases.adapter import Run
from cases.case import Case
from cases.checks import check
from cases.faults import S3_PUT, SQS_SEND, aws_faults, fail_embedding
from cases.worker import Worker
from everturn.adapters.aws.s3_clients import S3Clients
from fakes.planned_embedder import PlannedEmbedder
from functions.house import House, embedders_of

_DOORS: Final = {"lambda", "embed", S3_PUT, SQS_SEND}
_OF_JOBS: Final = {"consolidate", "deliver_job", "drain_queue"}


def run_sequence(request: pytest.FixtureRequest, case: Case) -> None:
    """Do every step of a case, and hold what came back against its check."""
    given = case["input"]
    faults = _by_door(given)
    embedder = PlannedEmbedder()
    fail_embedding(faults["embed"], embedder)
    with ExitStack() as stack:
        run = _opened(request, given, faults, embedder)
        run.house.parts.embedders = embedders_of(embedder)
        if faults[S3_PUT]:
            clients: S3Clients = request.getfixturevalue("moto_clients")
            stack.enter_context(aws_faults(S3_PUT, faults[S3_PUT], clients.writes))
        if faults[SQS_SEND]:
            client = request.getfixturevalue("sqs_client")
            stack.enter_context(aws_faults(SQS_SEND, faults[SQS_SEND], client))
        run.run(given)
    check(run, case["check"])


def _by_door(given: Case) -> dict[str, list[Case]]:
    faults = given.get("faults", [])
    assert {fault["on"] for fault in faults} <= _DOORS
    return {door: [fault for fault in faults if fault["on"] == door] for door in _DOORS}


def _opened(
    request: pytest.FixtureRequest,
    given: Case,
    faults: dict[str, list[Case]],
    embedder: PlannedEmbedder,
) -> Run:
    """Open the house on S3 where it is to fail, else on a directory, with a worker if need be."""
    assert all(fault["then"] == "kill_before_response" for fault in faults["lambda"])
    needs_worker = bool(faults[SQS_SEND]) or any(map(_is_of_jobs, given["steps"]))
    if faults[S3_PUT]:
        assert not needs_worker
        s3_house: House = request.getfixturevalue("s3_house")
        return Run(s3_house, None, embedder)
    house: House = request.getfixturevalue("directory_house")
    directory: Path = request.getfixturevalue("directory")
    worker: Worker | None = None
    if needs_worker:
        worker = request.getfixturevalue("queued_worker")
    return Run(house, directory, embedder, kill=len(faults["lambda"]), worker=worker)


def _is_of_jobs(step: Case) -> bool:
    return bool({step.get("do"), *step} & _OF_JOBS)
