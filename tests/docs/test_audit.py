"""The audit of what we pin: what it says and how it ends, with a pip-audit of the test's own.

Not here: pip-audit itself, and today's advisories.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AUDIT = Path(__file__).parents[2] / ".ci" / "audit"
FINE = {"name": "idna", "version": "3.20", "vulns": []}
FAULTY = {
    "name": "six", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1", "2.0"]}],
}  # fmt: skip
UNKNOWN = {"name": "ours", "skip_reason": "Dependency not found on PyPI"}


def _run(folder: Path, output: str, *, errors: str = "", code: int = 0) -> tuple[int, list[str]]:
    """Run the audit where `pip-audit` prints this; return how it ends, and its lines."""
    (folder / "out").write_text(output)
    (folder / "err").write_text(errors)
    fake = folder / "pip-audit"
    fake.write_text(
        f'#!/bin/sh\ncd "{folder}"\necho "$@" >>asked\ncat out\ncat err >&2\nexit {code}\n'
    )
    fake.chmod(0o755)
    return _audit(f"{folder}{os.pathsep}{os.environ['PATH']}")


def _audit(path: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, str(AUDIT)],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def _found(*dependencies: dict[str, Any]) -> str:
    return json.dumps({"dependencies": dependencies, "fixes": []})


def test_nothing_known_is_no_failure(tmp_path: Path) -> None:
    code, lines = _run(tmp_path, _found(FINE))
    assert code == 0
    assert lines == [
        "audit: requirements.lock: 1 packages, no known vulnerability",
        "audit: shared/requirements.txt: 1 packages, no known vulnerability",
    ]


def test_both_files_are_asked_about_as_they_are_pinned(tmp_path: Path) -> None:
    _run(tmp_path, _found(FINE))
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[-1].rpartition("/")[2] for line in asked] == [
        "requirements.lock", "requirements.txt",
    ]  # fmt: skip
    assert all("--no-deps --disable-pip" in line for line in asked)


def test_a_known_vulnerability_is_a_failure_that_names_what_mends_it(tmp_path: Path) -> None:
    code, lines = _run(tmp_path, _found(FINE, FAULTY), code=1)
    assert code == 1
    assert "audit: requirements.lock: six 1.0 has PYSEC-1, mended in 1.1, 2.0" in lines


@pytest.mark.parametrize(
    "errors",
    [
        "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed\n",
        "Traceback ...\npip_audit._service.interface.ServiceError\n",
    ],
)
def test_a_service_that_does_not_answer_is_said_and_is_no_failure(
    tmp_path: Path, errors: str
) -> None:
    code, lines = _run(tmp_path, "", errors=errors, code=1)
    assert code == 0
    assert lines[0] == (
        "audit: requirements.lock: not audited, the advisory service does not answer"
    )


def test_a_registry_without_advisories_is_not_taken_for_a_clean_bill(tmp_path: Path) -> None:
    """To pip-audit itself that is a success without a word."""
    code, lines = _run(tmp_path, _found(UNKNOWN, UNKNOWN))
    assert code == 0
    assert lines[0] == (
        "audit: requirements.lock: not audited, the advisory service knows none of 2"
    )


def test_a_package_that_is_not_known_is_named_beside_the_others(tmp_path: Path) -> None:
    code, lines = _run(tmp_path, _found(FINE, UNKNOWN))
    assert code == 0
    assert lines[0].endswith("1 packages, no known vulnerability, not known there: ours")


def test_a_tool_that_fails_or_is_missing_is_no_clean_bill(tmp_path: Path) -> None:
    code, lines = _run(tmp_path, "", errors="ERROR: invalid requirement", code=1)
    assert code == 2
    assert "audit: requirements.lock: pip-audit failed" in lines
    empty = tmp_path / "empty"
    empty.mkdir()
    code, lines = _audit(str(empty))
    assert (code, lines[0]) == (2, "audit: requirements.lock: pip-audit is not installed")
