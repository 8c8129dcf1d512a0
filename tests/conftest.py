"""What all tests share: hypothesis profiles, processes, and where the public data lies."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from repository import REPOSITORY

# The same examples in every run: what fails here fails anywhere. The long run draws more of them.
# How long examples take says nothing of the code: another machine may be busy, or slow.
for _profile, _examples in (("dev", 25), ("ci", 200)):
    settings.register_profile(
        _profile,
        max_examples=_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


# Contract classes assert in modules that are not tests themselves.
pytest.register_assert_rewrite("ports")
pytest_plugins = (
    "emulation.moto_server",
    "emulation.moto_sqs",
    "emulation.seaweed",
    "scenarios.fixtures",
)

# Fewer files than this are done sooner than more processes have started.
_WORTH_STARTING = 4
_DEPLOYMENT = "tests/deployment/"


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run a few files in this very process, so that -s and breakpoints work; else let xdist say."""
    asked = [argument.partition("::")[0] for argument in config.args]
    few = len(asked) < _WORTH_STARTING and all(name.endswith(".py") for name in asked)
    return 0 if few else None


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Hand tests out one by one, but all of a deployment to one process: it builds that once."""
    return _OneDeployment(config, log)


class _OneDeployment(LoadScopeScheduling):  # type: ignore[misc]  # untyped
    def _split_scope(self, nodeid: str) -> str:
        # xdist's own groups get lost: it renames tests where pytest does not look any more.
        return _DEPLOYMENT if nodeid.startswith(_DEPLOYMENT) else nodeid


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
