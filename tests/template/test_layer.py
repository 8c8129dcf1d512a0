"""The layer: how it is built, and that it installs what the lock names, complete.

Not here: a real build, which needs the SAM CLI.
"""

import importlib.metadata
import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from template.loaded import ROOT, of_type
from template.resolved import resolved

_PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)")


def _pins(path: str) -> dict[str, str]:
    """Distribution -> version of every line that is no comment."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    matches = [_PIN.match(line) for line in lines if line and not line.startswith("#")]
    assert all(matches), f"a line is no pin path={path}"
    return {canonicalize_name(match[1]): match[2] for match in matches if match}


def _roots() -> list[str]:
    """What the functions import: the base, and `lambda`."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["lambda"]]


def _closure(lines: list[str]) -> set[str]:
    """The distributions that these requirements pull in, by what is installed here."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += map(Requirement, importlib.metadata.requires(name) or [])
    return found


def test_the_layer_is_built_from_the_package_for_the_functions_runtime() -> None:
    [(name, layer)] = of_type(resolved(), "AWS::Serverless::LayerVersion").items()
    build = resolved()["Resources"][name]["Metadata"]
    assert build == {"BuildMethod": "python3.13", "BuildArchitecture": "arm64"}
    assert layer["CompatibleRuntimes"] == ["python3.13"]
    assert layer["CompatibleArchitectures"] == ["arm64"]
    assert (ROOT / layer["ContentUri"] / "everturn" / "__init__.py").is_file()


def test_the_layer_installs_the_versions_of_the_lock() -> None:
    lock = _pins("requirements.lock")
    pins = _pins("shared/requirements.txt")
    assert pins == {name: lock.get(name) for name in pins}


def test_the_layer_installs_all_that_the_functions_import_and_nothing_else() -> None:
    assert set(_pins("shared/requirements.txt")) == _closure(_roots())
