"""The layer: how it is built, and that it installs what the lock names, complete."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from template.function_imports import foreign_packages, unused_modules
from template.loaded import ROOT, of_type
from template.resolved import resolved

_PIN = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)(?: ; (.+))?")
_PRODUCTION = {"python_full_version": "3.13.0", "python_version": "3.13"}


def _pins(path: str) -> dict[str, str]:
    """Distribution -> version of every line that is no comment, as python3.13 reads them."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    matches = [_PIN.fullmatch(line) for line in lines if line and not line.startswith("#")]
    assert all(matches), f"a line is no pin path={path}"
    return {
        canonicalize_name(match[1]): match[2]
        for match in matches
        if match and (not match[3] or Marker(match[3]).evaluate(_PRODUCTION))
    }


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


@pytest.mark.parametrize("architecture", ["arm64", "x86_64"])
def test_the_functions_take_the_layer_that_is_built_for_their_processors(architecture: str) -> None:
    template = resolved(Architecture=architecture)
    [(name, layer)] = of_type(template, "AWS::Serverless::LayerVersion").items()
    build = template["Resources"][name]["Metadata"]
    assert build == {"BuildMethod": "makefile", "BuildArchitecture": architecture}
    assert layer["CompatibleRuntimes"] == ["python3.13"]
    assert layer["CompatibleArchitectures"] == [architecture]
    functions = of_type(template, "AWS::Serverless::Function").values()
    assert {(*each["Layers"], *each["Architectures"]) for each in functions} == {
        (name, architecture)
    }
    target = f"build-{name}: override ARCHITECTURE := {architecture}\n"
    assert target in (ROOT / layer["ContentUri"] / "Makefile").read_text(encoding="utf-8")


def test_the_layer_leaves_out_what_no_function_imports_and_nothing_else() -> None:
    makefile = (ROOT / "shared" / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    [line] = re.findall(r"^UNUSED := (.+)$", makefile, re.MULTILINE)
    left_out = {path.removesuffix(".py").replace("/", ".") for path in line.split()}
    # Folders that no function may import.
    folders = {"cli", "client", "integrations", "local", "wire"}
    unused = {name.removeprefix("everturn.") for name in unused_modules()}
    assert left_out == folders | {name for name in unused if name.partition(".")[0] not in folders}


def test_a_python_in_any_folder_builds_the_layer_and_is_asked_for_its_version_once(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "my tools"
    folder.mkdir()
    python, starts = folder / "python", tmp_path / "starts"
    python.write_text(f'#!/bin/sh\necho >>"{starts}"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    made = subprocess.run(
        ["make", "-C", str(ROOT / "shared"), "--dry-run", "build-Layer",
         f"ARTIFACTS_DIR={tmp_path}", f"TARGET_PYTHON={version}", f"PYTHON={python}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert starts.read_text() == "\n"
    for module in ("pip install", "compileall"):
        assert f'"{python}" -m {module}' in made.stdout


_OLD = "the layer that was there"


def _built(tmp_path: Path, *, failing: str) -> tuple[int, list[str]]:
    """Build over an old layer with a pip and a compiler that do nothing, or fail at one thing.

    Returns:
        The status, and what lies where the layer goes.
    """
    python, artifacts = tmp_path / "python", tmp_path / "it's here"
    python.write_text(f'#!/bin/sh\ncase "$*" in *"{failing}"*) exit 3 ;; esac\n')
    python.chmod(0o755)
    (artifacts / "python").mkdir(parents=True)
    (artifacts / "python" / _OLD).touch()
    made = subprocess.run(
        ["make", "-C", str(ROOT / "shared"), "build-Layer", f"ARTIFACTS_DIR={artifacts}",
         f"PYTHON={python}"],
        check=False, capture_output=True,
    )  # fmt: skip
    parts = [*artifacts.iterdir(), *(artifacts / "python").iterdir()]
    return made.returncode, sorted(str(part.relative_to(artifacts)) for part in parts)


@pytest.mark.parametrize("failing", ["pip --version", "pip install", "compileall"])
def test_a_build_that_fails_leaves_the_layer_that_was_there_and_nothing_else(
    tmp_path: Path, failing: str
) -> None:
    status, found = _built(tmp_path, failing=failing)
    assert status
    assert found == ["python", f"python/{_OLD}"]


def test_a_build_takes_the_place_of_the_layer_that_was_there(tmp_path: Path) -> None:
    assert _built(tmp_path, failing="nothing") == (0, ["python", "python/everturn"])


def test_no_function_imports_a_package_that_the_layer_has_not() -> None:
    """Filelock alone: a directory store locks its files with it, and a Lambda has none."""
    installed = _top_level_names(_pins("shared/requirements.txt"))
    assert foreign_packages() - installed == {"filelock"}


def _top_level_names(distributions: Iterable[str]) -> set[str]:
    """The names to import by which these distributions put files in place."""
    by_name = importlib.metadata.packages_distributions()
    wanted = set(distributions)
    return {name for name, dists in by_name.items() if wanted & set(map(canonicalize_name, dists))}


def test_the_layer_installs_the_versions_of_the_lock() -> None:
    lock = _pins("requirements.lock")
    pins = _pins("shared/requirements.txt")
    assert pins == {name: lock.get(name) for name in pins}
    assert _lines_of("numpy", "shared/requirements.txt") == _lines_of("numpy", "requirements.lock")


def _lines_of(name: str, path: str) -> list[str]:
    """The pins of one distribution: the Makefile takes that of its Python by the same words."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith(f"{name}==")]


def test_the_layer_installs_all_that_the_functions_import_and_nothing_else() -> None:
    assert set(_pins("shared/requirements.txt")) == _closure(_roots())
