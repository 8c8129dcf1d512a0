"""What `sam validate` and `sam build` make of the template: both layers, and their sizes."""

import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from deployment.sam_tools import run_sam
from template.function_imports import foreign_packages, own_modules
from template.loaded import ROOT, of_type
from template.resolved import resolved

# Two minutes of it may go into the SAM CLI's virtual environment.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))
LAYERS = ["LayerArm64", "LayerX8664"]
# Architecture -> what stands in the header of a shared object, at byte 18.
# https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
MACHINES = {"arm64": 183, "x86_64": 62}
# Of a function and its layers, unzipped; and of an archive that is uploaded without S3.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAX_UNZIPPED = 250 * 1024**2
MAX_ZIPPED = 50 * 1024**2


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a user has who cloned the repository, as far as SAM reads it."""
    folder = tmp_path_factory.mktemp("project folder")
    for name in ("template.yaml", "samconfig.toml"):
        shutil.copy2(ROOT / name, folder)
    for name in ("functions", "shared"):
        ignored = shutil.ignore_patterns("__pycache__", ".*")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def built(sam: Path, project: Path) -> Path:
    """The folder of what is deployed; an ARCHITECTURE that somebody left set changes nothing."""
    wrote = run_sam(sam, "build", cwd=project, PYTHON=sys.executable, ARCHITECTURE="arm64")
    assert "layer for arm64 and python3.13" in wrote
    assert "layer for x86_64 and python3.13" in wrote
    return project / ".aws-sam" / "build"


def _architecture(layer: str) -> str:
    [architecture] = resolved(Architecture="arm64" if layer == LAYERS[0] else "x86_64")[
        "Resources"
    ][layer]["Properties"]["CompatibleArchitectures"]
    return str(architecture)


def test_the_template_passes_sams_own_lint(sam: Path, project: Path) -> None:
    assert "is a valid SAM Template" in run_sam(sam, "validate", "--lint", cwd=project)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_built_of_its_own_folder_alone(built: Path, name: str) -> None:
    source = ROOT / "functions" / name.lower()
    assert {path.name for path in (built / name).iterdir()} == {
        path.name for path in source.iterdir() if path.name != "__pycache__"
    }


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layer_holds_what_the_functions_import_and_no_more_of_the_package(
    built: Path, layer: str
) -> None:
    python = built / layer / "python"
    files = (path.relative_to(python) for path in (python / "everturn").rglob("*.py"))
    held = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files}
    assert held == own_modules()
    assert not [name for name in foreign_packages() - {"filelock"} if not _has(python, name)]


def _has(python: Path, package: str) -> bool:
    return (python / package / "__init__.py").is_file() or (python / f"{package}.py").is_file()


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layer_holds_no_tests_no_programs_and_no_caches(built: Path, layer: str) -> None:
    assert [path.name for path in (built / layer).iterdir()] == ["python"]
    folders = {path.name for path in (built / layer / "python").rglob("*") if path.is_dir()}
    assert not folders & {"tests", "bin", ".mypy_cache", ".ruff_cache"}


@pytest.mark.parametrize("layer", LAYERS)
def test_every_shared_object_is_for_the_layers_processors_and_python_3_13(
    built: Path, layer: str
) -> None:
    objects = [path for path in (built / layer).rglob("*.so*") if path.is_file()]
    assert {_machine(path) for path in objects} == {MACHINES[_architecture(layer)]}
    names = {path.name for path in objects if ".cpython-" in path.name}
    assert {"_pydantic_core", "_multiarray_umath", "_regex"} <= {
        name.partition(".")[0] for name in names
    }
    assert {name.partition(".cpython-")[2].partition("-")[0] for name in names} == {"313"}


def _machine(shared_object: Path) -> int:
    with shared_object.open("rb") as file:
        header = file.read(20)
    assert header[:4] == b"\x7fELF"
    return int(struct.unpack_from("<H", header, 18)[0])


def test_sizes_stay_below_the_limits_of_lambda(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unzipped = {name: _size(built / name) for name in [*LAYERS, *FUNCTIONS]}
    zipped = {name: _zipped(built / name, tmp_path / name) for name in unzipped}
    with capsys.disabled():
        sys.stdout.write(f"\n{'':14}{'unzipped':>12}{'zipped':>12}  bytes\n")
        for name, size in unzipped.items():
            sys.stdout.write(f"{name:14}{size:12,}{zipped[name]:12,}\n")
    largest_function = max(unzipped[name] for name in FUNCTIONS)
    assert max(unzipped[name] for name in LAYERS) + largest_function < MAX_UNZIPPED
    assert max(zipped.values()) < MAX_ZIPPED


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _zipped(folder: Path, to: Path) -> int:
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder))
    return to.stat().st_size


def test_a_layer_for_the_running_python_is_compiled_for_where_lambda_puts_it(layer: Path) -> None:
    """/opt is read-only in Lambda: what is not compiled here is compiled at every cold start."""
    python = layer / "python"
    compiled = {path.parent.parent / path.name.partition(".")[0] for path in python.rglob("*.pyc")}
    assert compiled == {path.with_suffix("") for path in python.rglob("*.py")}
    pyc = python / "everturn" / "__pycache__" / f"errors.{sys.implementation.cache_tag}.pyc"
    # The second word is 1 where the file stands for its source unchecked, whatever the times say.
    # https://peps.python.org/pep-0552/
    assert struct.unpack_from("<I", pyc.read_bytes(), 4) == (1,)
    assert b"/opt/python/everturn/errors.py" in pyc.read_bytes()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (["ARCHITECTURE=i386"], "unknown ARCHITECTURE=i386: arm64 or x86_64"),
        (["ARTIFACTS_DIR="], "needs ARTIFACTS_DIR: where the layer goes"),
        (["PYTHON=no-such-python"], "needs a Python with pip: PYTHON=no-such-python"),
    ],
)
def test_what_the_build_cannot_work_with_is_one_clear_line(
    tmp_path: Path, variables: list[str], said: str
) -> None:
    command = ["make", "-C", str(ROOT / "shared"), "build-Layer", f"ARTIFACTS_DIR={tmp_path}"]
    done = subprocess.run([*command, *variables], capture_output=True, text=True, check=False)
    first, *rest = done.stderr.splitlines()
    assert (done.returncode, first, len(rest)) == (2, said, 1)
    assert not list(tmp_path.iterdir())
