"""What a function loads before its first event: nothing heavy that it does not use.

Not here: how long it takes (bench/coldstart.py).
"""

import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[2] / "functions"
NAMES = sorted(app.parent.name for app in FUNCTIONS.glob("*/app.py"))
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


def _imported(function: str, store: str) -> set[str]:
    """The modules that loading a function imports, as Python itself reports them."""
    app = FUNCTIONS / function / "app.py"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", LOAD, str(app), store],
        check=True, capture_output=True, text=True,
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
