"""The page of the metrics names each one, with its unit where it is no count."""

import re
from pathlib import Path

from everturn.edge.function import METRICS, TOLD_AT_ZERO, UNITS
from template.watched import alarms, metrics_of

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]


def test_the_page_names_each_metric_once_and_no_other() -> None:
    named = [name for row in ROWS for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(METRICS.values())


def test_what_is_no_count_is_told_in_its_unit() -> None:
    for word, unit in UNITS.items():
        [row] = [row for row in ROWS if f"`{METRICS[word]}`" in row]
        assert unit.value.lower() in row


def test_the_page_says_which_are_written_at_0_and_no_other() -> None:
    said = PAGE.partition("Written at 0 too:")[2].partition(".\n")[0]
    assert set(re.findall(r"`(\w+)`", said)) == {METRICS[word] for word in TOLD_AT_ZERO}


def test_the_page_says_how_many_metrics_are_paid_for() -> None:
    """At 0.30 USD a metric and 0.10 USD a metric of an alarm."""
    looked_at = sum(len(metrics_of(alarm)) for alarm in alarms().values())
    assert f"look at {looked_at} metrics ({looked_at / 10:.2f} USD)" in PAGE
    assert f"all that there are would be {len(METRICS) * 0.3:.0f} USD" in PAGE
