"""The failure cases of public bug reports, run on our routes where they concern them.

Not here: the cases themselves, which are no part of the project. What waits for a later issue is
skipped and says for which.
"""

from pathlib import Path
from types import ModuleType

import pytest

from cases.adapter import Run
from cases.checks import check
from cases.embed_batches import probe_embed_batch
from cases.faults import fail_embedding, s3_faults
from cases.probes import probe_ids, probe_store, probe_text, probe_times
from cases.recalls import probe_recall
from cases.retrieves import probe_retrieve
from cases.scope import Case, reason_to_wait
from domain.public_cases import casekit
from everturn.adapters.s3_clients import S3Clients
from everturn.domain.tokens import count_tokens
from functions.house import House, embedders_of
from services.planned_embedder import PlannedEmbedder


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
    if operation == "http_sequence":
        _run_sequence(request, expanded)
    elif operation == "store_contract":
        probe_store(_house(request, "s3").data.inner, expanded)
    elif operation == "tokens":
        counted = [count_tokens(text) for text in expanded["input"]["texts"]]
        assert not kit.check_tokens(counted, expanded)
    elif operation == "embed_batch":
        probe_embed_batch(expanded)
    else:
        _probe(_house(request, "directory"), expanded, kit)


def _probe(house: House, case: Case, kit: ModuleType) -> None:
    operation = case["input"]["op"]
    if operation in {"title", "preview"}:
        probe_text(house, case, kit)
    elif operation == "id_probe":
        probe_ids(house, case)
    elif operation == "recall":
        probe_recall(house, case)
    elif operation == "retrieve":
        probe_retrieve(house, case)
    else:
        assert operation == "time_compare"
        probe_times(house, case)


def _run_sequence(request: pytest.FixtureRequest, case: Case) -> None:
    faults = case["input"].get("faults", [])
    on_lambda = [fault for fault in faults if fault["on"] == "lambda"]
    on_embedder = [fault for fault in faults if fault["on"] == "embed"]
    on_s3 = [fault for fault in faults if fault["on"] not in {"lambda", "embed"}]
    assert all(fault["then"] == "kill_before_response" for fault in on_lambda)
    embedder = PlannedEmbedder()
    fail_embedding(on_embedder, embedder)
    house = _house(request, "s3" if on_s3 else "directory")
    house.parts.embedders = embedders_of(embedder)
    if on_s3:
        clients: S3Clients = request.getfixturevalue("moto_clients")
        run = Run(house, None, embedder)
        with s3_faults(on_s3, clients.writes):
            run.run(case["input"])
    else:
        directory: Path = request.getfixturevalue("directory")
        run = Run(house, directory, embedder, kill=len(on_lambda))
        run.run(case["input"])
    check(run, case["check"])
