from pathlib import Path

import pytest
from typer.testing import CliRunner

from adapters.minilm.tiny_bert import install_tiny
from cli.stores import Run
from everturn.cli.main import app

RULES = (
    "rules: no model is named, gateway: EVERTURN_GATEWAY_URL is not set;"
    " provider: EVERTURN_PROVIDER_URL is not set;"
    " bedrock: EVERTURN_BEDROCK_EXTRACT_MODEL is not set"
)


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


def test_it_says_which_embedder_is_live_and_what_each_earlier_one_lacks(
    run: Run, tmp_path: Path
) -> None:
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    live = "hash (hash-256.1, 256 dimensions, words alone): no embedding model is configured"
    at = result.stdout.index("embedder ")
    assert result.stdout[at:].splitlines() == [
        f"embedder   {live}",
        "           not gateway: EVERTURN_GATEWAY_URL is not set",
        "           not provider: EVERTURN_PROVIDER_URL is not set",
        "           not bedrock: EVERTURN_BEDROCK_EMBED_MODEL is not set",
        "           not local: no model is installed, everturn model install does it",
        f"extractor  {RULES}",
    ]
    assert not (tmp_path / "cache").exists()


def test_an_installed_model_is_used_without_a_setting(run: Run, tmp_path: Path) -> None:
    install_tiny(tmp_path / "cache" / "everturn" / "models")
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    live = "local (all-MiniLM-L6-v2, 24 dimensions, semantic): it is the first of those configured"
    assert f"embedder   {live}\n" in result.stdout


def test_an_embedder_that_is_asked_for_and_cannot_be_used_is_a_problem(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_MODEL_DIR", str(tmp_path / "models"))
    folder = install_tiny(tmp_path / "models")
    (folder / "vocab.txt").write_text("damaged")
    result = run("doctor")
    assert result.exit_code == 1
    begins = "error: embedder: what is asked for cannot be used, hash stands in: local: a file of"
    assert result.stderr.startswith(begins)
    assert result.stderr.count("\n") == 1


def test_it_says_which_model_reads_conversations_without_asking_it(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_BEDROCK_EXTRACT_MODEL", "small")
    monkeypatch.setenv("EVERTURN_BEDROCK_EXTRACT_FALLBACK_MODEL", "big")
    result = run("doctor")
    assert (result.exit_code, result.stderr) == (0, "")
    models = "bedrock:small, then bedrock:big (not asked now)"
    assert f"extractor  {models}: it is the first of those configured\n" in result.stdout


def test_a_model_that_can_never_be_asked_is_a_problem(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_EXTRACT_MODEL", "small")
    result = run("doctor")
    assert result.exit_code == 1
    assert "error: extractor: a model is named without a gateway or a provider" in result.stderr
