from pathlib import Path

from typer.testing import CliRunner

from cli.stores import Run
from everturn.cli.main import app


def test_a_sound_installation_passes_every_check(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    said = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert said["store"] == f"{tmp_path / 'store'} (--dir)"
    assert "routes in" in said["functions"]
    assert "moto" in said["packages"]
    assert "If-None-Match" in said["conditions"]


def test_each_problem_is_one_line_and_the_others_are_checked_all_the_same(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "broken.json").write_text("{")
    result = run("doctor")
    assert result.exit_code == 1
    assert result.stderr == "error: answers: some conversations cannot be read skipped=1\n"
    assert "conditions" in result.stdout


def test_a_directory_that_is_not_there_yet_stays_so(run: Run, tmp_path: Path) -> None:
    before = list(tmp_path.iterdir())
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "conditions not there yet, the first write makes it\n" in result.stdout
    assert list(tmp_path.iterdir()) == before


def test_a_directory_that_cannot_be_made_is_a_problem_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    directory = tmp_path / "file" / "store"
    result = CliRunner().invoke(app, ["doctor", "--dir", str(directory)])
    assert result.exit_code == 1
    reason = f"the directory cannot be made: not a directory directory={directory}"
    assert f"error: conditions: {reason}\n" in result.stderr


def test_a_directory_that_refuses_writes_is_a_problem_with_its_reason(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / ".everturn").write_text("")
    result = run("doctor")
    assert result.exit_code == 1
    assert "error: conditions: the directory refused error=EEXIST code=" in result.stderr
