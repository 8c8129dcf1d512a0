"""The function that consolidates: whose job it does, and that it is nobody's afterwards."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from cases.worker import record_of
from everturn.edge.job_function import JobEdge
from everturn.errors import AccessDeniedError
from everturn.values.job import Job
from everturn.values.keys import Scope

OWN: object = "the stores of the process"
CONTEXT = SimpleNamespace(
    function_name="f", memory_limit_in_mb=1, invoked_function_arn="a", aws_request_id="r",
    get_remaining_time_in_millis=lambda: 9_000,
)  # fmt: skip
ALICE, BOB = Job(Scope("acme", "alice"), "c1"), Job(Scope("other", "alice"), "c1")


@pytest.fixture
def edge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JobEdge:
    monkeypatch.setenv("EVERTURN_STORE", "s3://data")
    monkeypatch.setenv("EVERTURN_DERIVED_STORE", "s3://derived")
    monkeypatch.setenv("EVERTURN_SCOPE_ROLE", "arn:aws:iam::111122223333:role/ScopeRole")
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", f"job-{tmp_path.name}")
    monkeypatch.setattr("everturn.edge.function.open_backends", lambda _: OWN)
    monkeypatch.setattr("everturn.edge.job_function.open_scope_backends", lambda _, scope: scope)
    return JobEdge()


def test_a_job_is_done_on_the_stores_of_its_scope_and_nothing_is_left_of_it(edge: JobEdge) -> None:
    done: list[tuple[Job, object]] = []

    def work(job: Job, left_s: float) -> None:
        assert left_s == 8
        done.append((job, edge.backends))
        if len(done) == 2:
            raise AccessDeniedError("403")

    records = [record_of(f"m{n}", job.encode()) for n, job in enumerate((ALICE, BOB))]
    broken = record_of("m2", "no job")
    answer = edge.job_handler(work, margin_s=1)({"Records": [*records, broken]}, CONTEXT)

    failed = [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]  # type: ignore[attr-defined]
    assert failed == ["m1", "m2"]
    assert done == [(ALICE, ALICE.scope), (BOB, BOB.scope)]
    assert edge.backends is OWN
