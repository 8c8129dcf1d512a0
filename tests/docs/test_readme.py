"""The README is true: its sessions run and print what it says."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everturn.edge.answers import STATUS
from everturn.local.template import read_routes
from template.loaded import of_type
from template.resolved import resolved

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# What differs each time, and what a better ranking changes.
VARIES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z|Z)?|^[01]\.\d{3}(?=  )|(?<=\"score\":)[01]\.\d+",
    re.MULTILINE,
)


def session(name: str) -> list[tuple[str, str]]:
    """Return the commands of a console block of the README, each with what it prints."""
    block = re.search(rf"<!-- {name} -->\n```console\n(.*?)```", README, re.DOTALL)
    assert block is not None
    parts = re.split(r"^\$ (.+)\n", block[1], flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def printed(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TZ": "UTC"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE
    )
    return VARIES.sub("VARIES", done.stdout.decode())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    everturn = Path(sys.executable).with_name("everturn")
    command = [str(everturn), "up", "--port", "0", "--dir", str(tmp_path / "store")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().split()[-1]
        finally:
            process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["session", "memory", "learning"])
def test_the_session_prints_what_the_readme_says(name: str, tmp_path: Path) -> None:
    for command, output in session(name):
        assert printed(command, tmp_path) == VARIES.sub("VARIES", output), command


@pytest.mark.slow
@pytest.mark.parametrize("name", ["http", "memory-http", "learning-http"])
def test_the_http_session_answers_what_the_readme_says(
    name: str, server: str, tmp_path: Path
) -> None:
    for command, output in session(name):
        here = command.replace("http://127.0.0.1:8787", server)
        assert printed(here, tmp_path) == VARIES.sub("VARIES", output).rstrip("\n"), command


@pytest.mark.slow
def test_the_signed_request_of_the_readme_is_taken(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)  # noqa: S102 - our own README
    assert names["append"](server, "signed", "hello")["turn_count"] == 1


def test_every_route_of_the_template_is_in_the_readme() -> None:
    for route in read_routes(ROOT / "template.yaml"):
        assert f"`{route.key}`" in README


def test_every_status_and_code_of_an_error_is_in_the_readme() -> None:
    rows = [line for line in README.splitlines() if re.match(r"\| \d{3}", line)]
    for kind, status in STATUS.items():
        assert any(f"{status}" in row and f"`{kind.code}`" in row for row in rows), kind


def test_every_parameter_of_the_template_is_in_the_readme_with_its_default() -> None:
    table = README.partition("| parameter | default |")[2].partition("\n\n")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| `")]
    told = {name: row[2].strip() for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    for name, parameter in resolved()["Parameters"].items():
        default = str(parameter["Default"])
        assert told.get(name) == (f"`{default}`" if default else ""), name


def test_every_variable_that_the_template_sets_is_among_the_settings_of_the_readme() -> None:
    table = README.partition("## Settings")[2].partition("\n## ")[0]
    told = {name for line in table.splitlines() for name in re.findall(r"`(EVERTURN_\w+)`", line)}
    functions = of_type(resolved(), "AWS::Serverless::Function").values()
    everywhere = resolved()["Globals"]["Function"]["Environment"]["Variables"]
    own = [one.get("Environment", {}).get("Variables", {}) for one in functions]
    wanted = {name for names in (everywhere, *own) for name in names}
    assert {name for name in wanted if name.startswith("EVERTURN_")} <= told
