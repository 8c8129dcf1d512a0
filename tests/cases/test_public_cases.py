"""The failure cases of public bug reports, run on our routes and on the worker of the queue."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from cases.case import Case
from cases.embed_batches import probe_embed_batch
from cases.events import probe_event
from cases.extractions import probe_consolidate
from cases.parses import probe_parse
from cases.probes import probe_ids, probe_store, probe_text, probe_times
from cases.prompts import probe_prompt
from cases.public_cases import casekit
from cases.recalls import probe_recall
from cases.retrieves import probe_retrieve
from cases.sequences import run_sequence
from cases.templates import probe_template
from everturn.values.token_estimate import count_tokens
from functions.house import House

Request = pytest.FixtureRequest


def test_a_case_of_the_public_bug_reports_holds(
    public_cases: Path, request: Request, case: Case
) -> None:
    kit = casekit(public_cases)
    expanded: Case = kit.expand(case)
    PROBES[expanded["input"]["op"]](request, expanded, kit)


def _house(request: Request, name: str = "directory") -> House:
    house: House = request.getfixturevalue(f"{name}_house")
    return house


def _probe_tokens(_: Request, case: Case, kit: ModuleType) -> None:
    counted = [count_tokens(text) for text in case["input"]["texts"]]
    assert not kit.check_tokens(counted, case)


PROBES: Final[dict[str, Callable[[Request, Case, ModuleType], None]]] = {
    "consolidate": lambda request, case, _: probe_consolidate(_house(request), case),
    "consolidate_prompt": lambda _request, case, _kit: probe_prompt(case),
    "embed_batch": lambda _request, case, _kit: probe_embed_batch(case),
    "http_sequence": lambda request, case, _: run_sequence(request, case),
    "id_probe": lambda request, case, _: probe_ids(_house(request), case),
    "parse_llm": lambda _, case, kit: probe_parse(case, kit),
    "preview": lambda request, case, kit: probe_text(_house(request), case, kit),
    "recall": lambda request, case, _: probe_recall(_house(request), case),
    "retrieve": lambda request, case, _: probe_retrieve(_house(request), case),
    "sqs": lambda request, case, _: probe_event(case, request.getfixturevalue("worker")),
    "store_contract": lambda request, case, _: probe_store(_house(request, "s3").data.inner, case),
    "template_check": lambda _request, case, _kit: probe_template(case),
    "time_compare": lambda request, case, _: probe_times(_house(request), case),
    "title": lambda request, case, kit: probe_text(_house(request), case, kit),
    "tokens": _probe_tokens,
}
"""How each operation of the cases is done; one that is not among them fails."""
