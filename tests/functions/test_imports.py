"""What a function loads before its first event: nothing heavy that it does not use."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[2] / "functions"
NAMES = sorted(app.parent.name for app in FUNCTIONS.glob("*/app.py"))
NO_SETTINGS: Mapping[str, str] = {}
MODELS = {
    "EVERTURN_GATEWAY_URL": "http://127.0.0.1:9/v1", "EVERTURN_EMBED_MODEL": "some",
    "EVERTURN_EXTRACT_MODEL": "some", "EVERTURN_BEDROCK_EXTRACT_MODEL": "some",
}  # fmt: skip
LOAD = """
import importlib.util, os, sys
os.environ.update(
    AWS_DEFAULT_REGION="us-east-1", AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x",
    EVERTURN_STORE=sys.argv[2], POWERTOOLS_METRICS_NAMESPACE="n", POWERTOOLS_SERVICE_NAME="s",
)
spec = importlib.util.spec_from_file_location("app", sys.argv[1])
app = importlib.util.module_from_spec(spec)
spec.loader.exec_module(app)
assert callable(app.handler)
"""
# A conversation that says something, and its job.
DO_A_JOB = """
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.values.job import Job
from everturn.values.keys import Scope
from everturn.conversations.model.turn import TurnDraft
from everturn.local.invocation import LambdaContext
from everturn.local.job_worker import job_event
from everturn.ports.queue import Lease
from everturn.conversations.append_turns import append_turns
parts, job, clock = app.EDGE.backends, Job(Scope("t", "a"), "c"), SystemClock()
append_turns(
    store=parts.data, heads=parts.heads, clock=clock, entropy=SystemEntropy(), scope=job.scope,
    conversation_id="c", turns=[TurnDraft("user", "My name is Dana.")],
)
context = LambdaContext("r", "Consolidate", clock, clock.monotonic_s() + 180)
answer = app.handler(job_event(Lease(job, "x", 1), message_id="m"), context)
assert answer == {"batchItemFailures": []}
assert parts.data.list("m/t/a/").keys
"""


def _imported(
    function: str, store: str, *, then: str = "", settings: Mapping[str, str] = NO_SETTINGS
) -> set[str]:
    """The modules that loading a function imports, as Python itself reports them."""
    app = FUNCTIONS / function / "app.py"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", LOAD + then, str(app), store],
        check=True, capture_output=True, text=True, env={**os.environ, **settings},
    )  # fmt: skip
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize("function", NAMES)
def test_a_function_on_s3_loads_no_numpy_and_no_httpx(function: str) -> None:
    imported = _imported(function, "s3://bucket")
    assert {"everturn", "aws_lambda_powertools", "botocore"} <= imported
    assert not {"numpy", "httpx", "moto", "flask", "typer", "rich", "regex"} & imported


@pytest.mark.parametrize("function", NAMES)
def test_a_function_on_a_directory_loads_no_boto3(function: str, tmp_path: Path) -> None:
    imported = _imported(function, str(tmp_path))
    assert "everturn" in imported
    # Powertools itself looks for botocore, which without a session costs a millisecond.
    assert not {"boto3", "botocore.session", "numpy", "httpx"} & imported


@pytest.mark.parametrize("function", ["append", "list"])
def test_the_busiest_functions_load_nothing_of_deletions_and_memories(function: str) -> None:
    """What responses have in common names the results of all of them, as types alone."""
    imported = _imported(function, "s3://bucket")
    unused = (
        "everturn.consolidation.consolidate_conversation", "everturn.deletion",
        "everturn.extraction", "everturn.memory.model.memory", "everturn.recall", "everturn.upkeep",
    )  # fmt: skip
    assert not [module for module in imported if module.startswith(unused)]


def test_a_function_that_may_ask_models_loads_none_of_what_they_need() -> None:
    """A job with nothing new asks nobody; whoever asks for a recall loads what it needs then."""
    imported = _imported("consolidate", "s3://bucket", settings=MODELS)
    assert not {"numpy", "httpx"} & imported


def test_a_short_conversation_read_by_rules_needs_no_numpy_and_no_httpx(tmp_path: Path) -> None:
    imported = _imported("consolidate", str(tmp_path), then=DO_A_JOB)
    assert "everturn.extraction.rules.extract_by_rules" in imported
    assert not {"boto3", "botocore.session", "numpy", "httpx"} & imported
