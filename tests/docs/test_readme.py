"""What README and docs list is all that there is: routes, errors, parameters, settings."""

import re
from pathlib import Path
from typing import Any

import pytest

from docs.page_blocks import ROOT, blocks_of
from docs.page_runs import environment_of, served
from everturn.edge.responses.base import STATUS
from everturn.local.template import read_routes
from template.loaded import of_type
from template.resolved import resolved

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_request_that_is_signed_by_hand_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    blocks = blocks_of(ROOT / "docs" / "deploy.md")
    [code] = [one.code for one in blocks if "SigV4Auth(" in one.code]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - our own page
    with served(tmp_path, environment_of(tmp_path)) as server:
        assert names["append"](server, "signed", "hello")["turn_count"] == 1


def test_every_route_of_the_template_is_in_the_readme() -> None:
    for route in read_routes(ROOT / "template.yaml"):
        assert f"`{route.key}`" in README


def test_every_status_and_code_of_an_error_is_in_the_readme() -> None:
    rows = [line for line in README.splitlines() if re.match(r"\| \d{3}", line)]
    for kind, status in STATUS.items():
        assert any(f"{status}" in row and f"`{kind.code}`" in row for row in rows), kind


def test_every_parameter_of_the_template_is_on_the_page_of_deployment_with_its_default() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    table = page.partition("| parameter | default |")[2].partition("\n\n")[0]
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
