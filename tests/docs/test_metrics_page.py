"""The page of the metrics names each one, with its unit where it is no count.

Not here: that each is counted (tests/functions/test_metric_names.py).
"""

import re
from pathlib import Path

from everturn.edge.metrics import METRICS, UNITS

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]


def test_the_page_names_each_metric_once_and_no_other() -> None:
    named = [name for row in ROWS for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(METRICS.values())


def test_what_is_no_count_is_told_in_its_unit() -> None:
    for word, unit in UNITS.items():
        [row] = [row for row in ROWS if f"`{METRICS[word]}`" in row]
        assert unit.value.lower() in row
