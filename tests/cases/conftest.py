"""The cases to run and the stores to run them on.

Not here: what a case means (adapter.py, checks.py).
"""

import json
import os
from pathlib import Path

import pytest

pytest.register_assert_rewrite(
    "functions.house", "cases.checks", "cases.embed_batches", "cases.list_checks", "cases.probes",
    "cases.recall_checks", "cases.recalls", "cases.retrieves", "functions.remembered",
)  # fmt: skip

from functions.house_fixtures import (  # noqa: E402 - asserts of the house are rewritten first
    directory,
    directory_house,
    moto_clients,
    moto_server,
    opened_house,
    s3_house,
)

__all__ = [
    "directory", "directory_house", "moto_clients", "moto_server", "opened_house", "s3_house",
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
