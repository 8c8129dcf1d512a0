"""The failure cases of public bug reports, run on our routes where they concern them.

Not here: the cases themselves, which are no part of the project. What waits for a later issue is
skipped and says for which.
"""

from pathlib import Path

import pytest

from cases.adapter import Run
from cases.checks import check
from cases.faults import s3_faults
from cases.probes import probe_ids, probe_store, probe_text, probe_times
from cases.scope import Case, reason_to_wait
from domain.public_cases import casekit
from everturn.adapters.s3_clients import S3Clients
from functions.house import House


def _house(request: pytest.FixtureRequest, name: str) -> House:
    house: House = request.getfixturevalue(f"{name}_house")
    return house


def test_a_case_of_the_public_bug_reports_holds(
    public_cases: Path, request: pytest.FixtureRequest, case: Case
) -> None:
    if reason := reason_to_wait(case):
        pytest.skip(f"needs {reason}")
    kit = casekit(public_cases)
    expanded: Case = kit.expand(case)
    operation = expanded["input"]["op"]
    if operation in {"title", "preview"}:
        probe_text(_house(request, "directory"), expanded, kit)
    elif operation == "id_probe":
        probe_ids(_house(request, "directory"), expanded)
    elif operation == "time_compare":
        probe_times(_house(request, "directory"), expanded)
    elif operation == "store_contract":
        probe_store(_house(request, "s3").data.inner, expanded)
    else:
        assert operation == "http_sequence"
        _run_sequence(request, expanded)


def _run_sequence(request: pytest.FixtureRequest, case: Case) -> None:
    faults = case["input"].get("faults", [])
    on_lambda = [fault for fault in faults if fault["on"] == "lambda"]
    on_s3 = [fault for fault in faults if fault["on"] != "lambda"]
    assert all(fault["then"] == "kill_before_response" for fault in on_lambda)
    if on_s3:
        clients: S3Clients = request.getfixturevalue("moto_clients")
        run = Run(_house(request, "s3"), None)
        with s3_faults(on_s3, clients.writes):
            run.run(case["input"])
    else:
        directory: Path = request.getfixturevalue("directory")
        run = Run(_house(request, "directory"), directory, kill=len(on_lambda))
        run.run(case["input"])
    check(run, case["check"])
