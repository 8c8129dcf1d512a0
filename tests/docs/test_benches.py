"""The benches run, print a table and write one object a row."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
NAMES = [
    "append", "list", "coldstart", "contention", "drain", "load", "longthread", "recall",
    "recall_scale", "retrieve", "rules", "strands_sessions", "talk_recall",
]  # fmt: skip
# bench/recall_sets.py: it ends so where the public conversations are not there.
NO_DATA = 77


def run(name: str, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(BENCH / f"{name}.py"), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == NO_DATA:
        pytest.skip(done.stderr.strip())
    return done


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_bench_runs_and_writes_its_rows(name: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"

    done = run(name, "--quick", "--json", str(rows))

    assert done.returncode == 0, done.stderr
    assert done.stdout
    written = [json.loads(line) for line in rows.read_text().splitlines()]
    assert len(written) >= 2
    assert len({tuple(row) for row in written}) == 1


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("embedder", ["terms", "vectors"])
def test_recall_finds_no_less_than_its_floor(embedder: str) -> None:
    """On both sets of public conversations, where they are."""
    done = run("recall", "--check", "--embedder", embedder)

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_retrieve_finds_no_less_than_its_floor_and_more_than_words_alone() -> None:
    done = run("retrieve", "--check", "--data", "locomo")

    assert done.returncode == 0, done.stderr
    assert "BM25 alone" in done.stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_warm_retrieve_keeps_to_its_limit() -> None:
    done = run("retrieve", "--check", "--most", "20000", "--latency-ms", "0")

    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_min_score_has_a_curve(tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"

    done = run("recall", "--curve", "--quick", "--data", "locomo", "--json", str(rows))

    assert done.returncode == 0, done.stderr
    written = [json.loads(line) for line in rows.read_text().splitlines()]
    assert [row["right"] for row in written] == sorted((r["right"] for r in written), reverse=True)
    assert [row["wrong empty"] for row in written] == sorted(r["wrong empty"] for r in written)


@pytest.mark.slow
def test_without_the_conversations_a_bench_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_DATA", str(tmp_path))

    with pytest.raises(pytest.skip.Exception, match="EVERTURN_DATA"):
        run("recall", "--quick")
