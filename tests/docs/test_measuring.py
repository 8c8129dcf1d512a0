"""What all benches refuse before they measure anything."""

from pathlib import Path

import pytest
from measuring import option_parser, report

PARSER = option_parser("a bench", agents=50, pause_ms=0, seed=1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--agents", "0"], "--agents: must be at least 1, not 0"),
        (["--agents", "-1"], "--agents: must be at least 1, not -1"),
        (["--agents", "many"], "--agents: invalid"),
        (["--pause-ms", "-1"], "--pause-ms: must be at least 0, not -1"),
        (["--seed", "-1"], "--seed: must be at least 0, not -1"),
        (["--json", "nowhere/rows.json"], "--json: cannot be written:"),
        (["--json", "."], "--json: cannot be written:"),
    ],
)
def test_an_option_that_cannot_be_is_named(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        PARSER.parse_args(options)
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_pause_and_the_first_seed_are_fine() -> None:
    asked = PARSER.parse_args(["--pause-ms", "0", "--seed", "0", "--agents", "1"])
    assert (asked.pause_ms, asked.seed, asked.agents) == (0, 0, 1)


def test_a_file_of_rows_is_left_as_it_is_until_there_are_rows(tmp_path: Path) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text("rows")
    for path in (old, new):
        assert PARSER.parse_args(["--json", str(path)]).json == path
    assert old.read_text() == "rows"
    assert not new.exists()


def test_numbers_that_leave_no_row_are_said() -> None:
    with pytest.raises(SystemExit, match="nothing is measured"):
        report("a bench", [], None)
