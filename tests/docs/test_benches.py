"""The benches run, print a table and write one object a row."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["append", "list", "coldstart", "contention", "longthread"])
def test_a_bench_runs_and_writes_its_rows(name: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    command = [sys.executable, str(BENCH / f"{name}.py"), "--quick", "--json", str(rows)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    assert done.stdout
    written = [json.loads(line) for line in rows.read_text().splitlines()]
    assert len(written) > 2
    assert len({tuple(row) for row in written}) == 1
