"""The command promote: a folder for a proven pattern, and never over another one."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.stores import Run
from everturn.cli.commands.memory_changes import _skill
from everturn.cli.output.errors import CliError

PATTERN = ("--name", "Deploy It", "--trigger", "a release is due", "--step", "tag it")


def _said_in(run: Run, conversations: str) -> str:
    """Remember a pattern from conversations; return its id."""
    for name in conversations:
        done = run("remember", *PATTERN, "--source", name, "--json")
        assert done.exit_code == 0, done.output
    return str(json.loads(done.stdout)["memory"]["id"])


def test_a_proven_pattern_becomes_a_folder_and_is_told_so(run: Run, tmp_path: Path) -> None:
    rid = _said_in(run, "abc")
    done = run("promote", rid, "--to", "skills")
    path = Path("skills") / "deploy-it" / "SKILL.md"
    assert (done.stdout, done.stderr) == (f"promoted: deploy-it in {path}\n", "")
    text = (tmp_path / path).read_text(encoding="utf-8")
    assert text.startswith("---\nname: deploy-it\n")
    assert "tag it" in text
    assert "promoted    deploy-it, " in run("memories", rid).stdout


def test_a_skill_that_is_there_stays_unless_forced(run: Run, tmp_path: Path) -> None:
    rid = _said_in(run, "abc")
    (tmp_path / "deploy-it").mkdir()
    mine = tmp_path / "deploy-it" / "SKILL.md"
    mine.write_text("mine")
    refused = run("promote", rid)
    assert (refused.exit_code, refused.stdout) == (1, "")
    said = "error: a skill is there already, --force overwrites it file=deploy-it/SKILL.md\n"
    assert refused.stderr == said
    assert mine.read_text() == "mine"
    assert run("promote", rid, "--force").exit_code == 0
    assert mine.read_text().startswith("---\n")


def test_what_too_few_sources_say_is_no_skill(run: Run, tmp_path: Path) -> None:
    refused = run("promote", _said_in(run, "ab"), "--to", "skills")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "code=conflict" in refused.stderr
    assert not (tmp_path / "skills").exists()


@pytest.mark.parametrize("name", ["", "..", "../x", "a/b", "Deploy", "-x", "x" * 65, "/etc"])
def test_a_name_leads_nowhere_but_into_a_folder_of_its_own(name: str) -> None:
    with pytest.raises(CliError, match="this is no everturn"):
        _skill({"name": name, "files": {"SKILL.md": "text"}})


@pytest.mark.parametrize("files", [{}, {"SKILL.md": 1}, {"../SKILL.md": "text"}])
def test_a_skill_without_its_text_is_none(files: dict[str, Any]) -> None:
    with pytest.raises(CliError, match="this is no everturn"):
        _skill({"name": "deploy", "files": files})
