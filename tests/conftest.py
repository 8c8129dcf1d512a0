"""What all tests share: hypothesis profiles, and where the public data lies."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=25, deadline=None)
settings.register_profile(
    "ci",
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

REPOSITORY = Path(__file__).parents[1]


def _beside_checkout(variable: str, name: str) -> Path:
    """Return a folder of the public material that is no part of the project, or skip."""
    path = Path(os.environ.get(variable) or REPOSITORY.parent / "shared" / name)
    if not path.is_dir():
        pytest.skip(f"needs the public material, set {variable} to its folder")
    return path


@pytest.fixture(scope="session")
def public_data() -> Path:
    return _beside_checkout("EVERTURN_DATA", "data")


@pytest.fixture(scope="session")
def public_cases() -> Path:
    return _beside_checkout("EVERTURN_CASES", "cases")
