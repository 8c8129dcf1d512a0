"""The audit of what we pin.

What it asks, says and how it ends, with a pip-audit of the test's own.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AUDIT = Path(__file__).parents[2] / ".ci" / "audit"
FAULTS = {"six": [{"id": "PYSEC-1", "fix_versions": ["1.1", "2.0"]}]}
UNKNOWN = {"skip_reason": "Dependency not found on PyPI"}
# Refuses a name that is there twice, as pip-audit does, and keeps what it was asked.
TOOL = """#!{python}
import json, pathlib, sys
lines = pathlib.Path(sys.argv[-1]).read_text().splitlines()
pins = dict(line.split("==") for line in lines)
assert len(pins) == len(lines), lines
with pathlib.Path({asked!r}).open("a") as asked:
    print(json.dumps([sys.argv[1:-1], lines]), file=asked)
answers = json.loads({answers!r})
found = [dict(name=n, version=v) | answers.get(n, dict(vulns=[])) for n, v in pins.items()]
print(json.dumps(dict(dependencies=[one for one in found if not one.get("silent")], fixes=[])))
"""


class Audit:
    """Runs the audit on lists of the test's own, where pip-audit answers as it is told to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._asked = folder / "asked"
        self.answers()

    def answers(self, **answers: dict[str, Any]) -> None:
        """Find this of the packages, and nothing wrong with all others."""
        self.tool(
            TOOL.format(python=sys.executable, asked=str(self._asked), answers=json.dumps(answers))
        )

    def tool(self, program: str) -> None:
        path = self._folder / "pip-audit"
        path.write_text(program)
        path.chmod(0o755)

    def run(self, *lists: str, without_tool: bool = False) -> tuple[int, list[str]]:
        """Return how it ends, and its lines without the folder of the lists."""
        paths = [self._folder / f"list{number}" for number in range(len(lists))]
        for path, content in zip(paths, lists, strict=True):
            path.write_text(content)
        done = subprocess.run(
            [sys.executable, str(AUDIT), *map(str, paths)],
            env={"PATH": str(self._folder / "nothing" if without_tool else self._folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout.replace(f"{self._folder}/", "").splitlines()

    @property
    def asked(self) -> list[list[str]]:
        """The lines of each list that pip-audit was given."""
        if not self._asked.exists():
            return []
        return [json.loads(line)[1] for line in self._asked.read_text().splitlines()]

    @property
    def options(self) -> str:
        return " ".join(json.loads(self._asked.read_text().splitlines()[0])[0])


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    return Audit(tmp_path)


def test_nothing_known_is_no_failure(audit: Audit) -> None:
    assert audit.run("idna==3.20\n", "six==1.0\nidna==3.20\n") == (
        0, ["audit: 2 packages of list0, list1: no known vulnerability"],
    )  # fmt: skip
    assert "--no-deps --disable-pip" in audit.options


def test_every_line_of_both_lists_is_asked_about_on_any_python(audit: Audit) -> None:
    code, lines = audit.run()
    root = AUDIT.parents[1]
    pinned = (root / "requirements.lock").read_text() + (
        root / "shared/requirements.txt"
    ).read_text()
    wanted = set(re.findall(r"^[^#\s;]+", pinned, re.MULTILINE))
    assert code == 0, lines
    assert {line for part in audit.asked for line in part} == wanted
    assert f"{len(wanted)} packages of requirements.lock, shared/requirements.txt" in lines[-1]


@pytest.mark.parametrize(
    "marker", ["python_version < '3.0'", 'sys_platform=="win32" and (extra == "x")']
)
def test_a_pin_is_asked_about_whatever_its_marker(audit: Audit, marker: str) -> None:
    """The layer is built without markers, for another Python than the one that audits."""
    audit.answers(six={"vulns": FAULTS["six"]})
    code, lines = audit.run(f"six==1.0 ; {marker}\n")
    assert code == 1
    assert lines[0] == "audit: six 1.0 has PYSEC-1, mended in 1.1, 2.0"


def test_two_versions_of_a_package_are_both_asked_about(audit: Audit) -> None:
    code, _ = audit.run("a==1 ; python_version < '3.12'\nA==2\nb_c==1\n", "b.c==1  # why\n")
    assert code == 0
    assert audit.asked == [["a==1", "b-c==1"], ["a==2"]]


@pytest.mark.parametrize(
    "line",
    [
        "six", "six>=1.0", "six==1.*", "six===1.0", "six[more]==1.0", "six==1.0,>0",
        "six @ ftp://user:word@elsewhere/six", "ftp://elsewhere/six",
        "./six.whl", "-e .", "-r more.txt", "-c more.txt", "--pre",
        "--extra-index-url ftp://user:word@elsewhere",
        "six==1.0 --hash=sha256:00", "six==1.0 ; extra == 'x' --global-option=y", "six==${WORD}",
        "six==1.0 \\", "six==1.0 ; extra == \\",
    ],
)  # fmt: skip
def test_a_line_that_is_no_pin_is_refused_by_its_number(audit: Audit, line: str) -> None:
    """Nothing is asked then; and the line is not told: an address may hold a password."""
    code, lines = audit.run("idna==3.20\n", f"# why\nidna==3.20\n{line}\n")
    assert code == 2
    assert lines == ["audit: list1: line 3 is not name==version, with or without a marker"]
    assert audit.asked == []


@pytest.mark.parametrize("content", ["", "\n# idna==3.20\n"])
def test_a_list_without_packages_is_no_clean_bill(audit: Audit, content: str) -> None:
    assert audit.run("idna==3.20\n", content) == (2, ["audit: list1: names no package"])


def test_a_list_that_is_not_there_is_no_clean_bill(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(AUDIT), str(tmp_path / "x")], check=False)
    assert done.returncode == 2


def test_a_known_vulnerability_is_a_failure_that_names_what_mends_it(audit: Audit) -> None:
    audit.answers(six={"vulns": FAULTS["six"]})
    assert audit.run("idna==3.20\nsix==1.0\n") == (1, [
        "audit: six 1.0 has PYSEC-1, mended in 1.1, 2.0",
        "audit: 2 packages of list0: 1 known vulnerabilities",
    ])  # fmt: skip


@pytest.mark.parametrize(
    "error",
    [
        "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed",
        "pip_audit._service.interface.ServiceError",
    ],
)
def test_a_service_that_does_not_answer_is_said_and_is_no_failure(audit: Audit, error: str) -> None:
    audit.tool(f'#!/bin/sh\necho "{error}" >&2\nexit 1\n')
    assert audit.run("idna==3.20\n") == (
        0, ["audit: 1 packages not audited, the advisory service does not answer"],
    )  # fmt: skip


def test_a_registry_without_advisories_is_not_taken_for_a_clean_bill(audit: Audit) -> None:
    """To pip-audit itself that is a success without a word."""
    audit.answers(idna=UNKNOWN, six=UNKNOWN)
    assert audit.run("idna==3.20\nsix==1.0\n") == (0, [
        "audit: 2 packages of list0: not audited, the advisory service knows none of them",
    ])  # fmt: skip


def test_a_package_that_is_not_known_is_named_beside_the_others(audit: Audit) -> None:
    audit.answers(ours=UNKNOWN)
    code, lines = audit.run("idna==3.20\nours==1\n")
    assert code == 0
    assert lines == ["audit: 2 packages of list0: no known vulnerability, not known there: ours"]


def test_a_package_that_pip_audit_passes_over_is_no_clean_bill(audit: Audit) -> None:
    audit.answers(six={"silent": True})
    code, lines = audit.run("idna==3.20\nsix==1.0\n")
    assert (code, lines) == (2, ["audit: pip-audit failed", "it says nothing of six"])


def test_a_tool_that_fails_or_is_missing_is_no_clean_bill(audit: Audit) -> None:
    audit.tool("#!/bin/sh\necho 'ERROR: no' >&2\nexit 1\n")
    assert audit.run("idna==3.20\n") == (2, ["audit: pip-audit failed", "ERROR: no"])
    assert audit.run("idna==3.20\n", without_tool=True) == (
        2, ["audit: pip-audit is not installed"],
    )  # fmt: skip
