"""The SAM CLI in a virtual environment of its own, as the lock beside this names it."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from deployment.locked_environment import locked_environment

LOCK = Path(__file__).with_name("sam.lock")

# A region only to resolve pseudo parameters by: nothing here speaks to AWS.
ENVIRONMENT: Mapping[str, str] = {
    "SAM_CLI_TELEMETRY": "0",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
}
# Beside the SAM CLI nothing but the system: no virtual environment and no python3.13 of a user.
SYSTEM_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))


@pytest.fixture(scope="session")
def sam(pytestconfig: pytest.Config) -> Path:
    """Path of the executable; made once (a minute)."""
    return locked_environment(LOCK, pytestconfig) / "bin" / "sam"


def run_sam(sam: Path, *arguments: str, cwd: Path, **environment: str) -> str:
    """Run one command to its end.

    Args:
        sam: the executable.
        *arguments: of the command.
        cwd: a folder with template.yaml.
        **environment: variables beside `ENVIRONMENT`; of this process's own, HOME alone is kept.

    Returns:
        What it wrote, errors included. A failure shows it and fails the test.
    """
    done = subprocess.run(
        [str(sam), *arguments], cwd=cwd, check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={"HOME": os.environ.get("HOME", str(cwd)), "PATH": SYSTEM_PATH}
        | {**ENVIRONMENT, **environment},
    )  # fmt: skip
    assert done.returncode == 0, f"sam {' '.join(arguments)}\n{done.stdout}"
    return done.stdout
