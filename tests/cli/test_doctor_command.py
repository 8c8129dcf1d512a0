from pathlib import Path

from cli.stores import Run


def test_a_sound_installation_passes_every_check(run: Run, tmp_path: Path) -> None:
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
    assert result.stderr == "error: answers: unreadable conversations, skipped=1\n"
    assert "conditions" in result.stdout
