"""The cases to run and the stores to run them on."""

import json
import os
from pathlib import Path

import pytest

pytest.register_assert_rewrite(
    "cases.adapter", "cases.at_once", "cases.checks", "cases.embed_batches", "cases.events",
    "cases.extractions", "cases.job_checks", "cases.list_checks", "cases.parses", "cases.probes",
    "cases.prompts", "cases.recall_checks", "cases.recalls", "cases.retrieves", "cases.templates",
    "cases.worker", "functions.house", "functions.remembered", "template.rules",
)  # fmt: skip

from cases.worker_fixtures import (  # noqa: E402 - asserts are rewritten first
    loaded_worker,
    queued_worker,
    worker,
)
from emulation.moto_sqs import moto_sqs, sqs_client  # noqa: E402
from functions.house_fixtures import (  # noqa: E402
    directory,
    directory_house,
    moto_clients,
    moto_server,
    opened_house,
    s3_house,
)

__all__ = [
    "directory", "directory_house", "loaded_worker", "moto_clients", "moto_server", "moto_sqs",
    "opened_house", "queued_worker", "s3_house", "sqs_client", "worker",
]  # fmt: skip


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each case its own test, named by the case's id; none where the cases are missing."""
    if "case" not in metafunc.fixturenames:
        return
    beside = Path(__file__).parents[2].parent / "shared" / "cases"
    path = Path(os.environ.get("EVERTURN_CASES") or beside) / "cases.jsonl"
    lines = path.read_bytes().splitlines() if path.is_file() else [b"null"]
    cases = [json.loads(line) for line in lines]
    metafunc.parametrize("case", cases, ids=[case["id"] if case else "none" for case in cases])
