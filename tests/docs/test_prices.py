"""The page of prices adds up.

Each sum is what its counts of requests cost at the prices it names.
"""

import re

import pytest

from consolidation.stranded import yard
from docs.page_blocks import ROOT
from emulation.counting_store import CountingStore
from template.loaded import loaded, of_type
from template.watched import alarms, metrics_of

PAGE = (ROOT / "docs" / "limits-and-prices.md").read_text(encoding="utf-8")
CALLS = PAGE.partition("| 1,000 calls |")[2].partition("\n\n")[0].splitlines()[2:]
# What the page assumes of a function that answers.
SECONDS = 0.05
# What AWS's documentation says of the pollers of an event source mapping.
POLLERS, POLL_S = 5, 20
HOURS = 730
[GB_SECOND] = [float(usd) for usd in re.findall(r"; (0\.0000\d+)", PAGE)]


def _price(row: str) -> float:
    found = re.search(rf"^\| {re.escape(row)}[^|]*\| ([\d.]+)", PAGE, re.MULTILINE)
    assert found, row
    return float(found[1])


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row.split("|")[1].strip())
def test_a_sum_is_what_its_requests_cost(row: str) -> None:
    cells = [float(cell.replace(",", "")) for cell in row.strip("|").split("|")[1:]]
    writes, reads, queued, stores, megabytes, everything = cells
    per_thousand = _price("S3 Standard: PUT"), _price("S3 Standard: GET"), _price("SQS") / 1000
    counts = zip((writes, reads, queued), per_thousand, strict=True)
    asked = sum(number * usd / 1000 for number, usd in counts)
    called = (_price("API Gateway") + _price("Lambda: requests")) / 1000
    time = 1000 * SECONDS * megabytes / 1024 * GB_SECOND
    assert stores == pytest.approx(asked, abs=5.1e-5)
    assert everything == pytest.approx(asked + called + time, abs=5.1e-5)


def test_there_is_a_row_for_each_kind_of_call() -> None:
    named = " ".join(CALLS)
    assert all(word in named for word in ("append", "newest", "list", "recall", "context"))


def test_what_it_assumes_is_said() -> None:
    assert f"{SECONDS * 1000:.0f} ms with" in PAGE


def _at_rest(row: str) -> tuple[str, str, float]:
    """Return what a row says of a month in which nobody calls: its words, how often, its USD."""
    part = PAGE.partition("## What runs while nobody calls")[2]
    found = re.search(rf"^\| ([^|]*{row}[^|]*)\| ([\d,]*) ?\| ([\d.]+) \|$", part, re.MULTILINE)
    assert found, row
    return found[1], found[2].replace(",", ""), float(found[3])


def test_the_queue_is_asked_as_often_as_five_long_polls_ask() -> None:
    said, times, usd = _at_rest("SQS")
    asked = POLLERS * HOURS * 3600 // POLL_S
    assert f"{POLL_S} seconds" in said
    assert int(times) == asked
    assert usd == pytest.approx(asked * _price("SQS") / 1e6, abs=5e-4)


def test_as_many_pollers_stay_as_begin() -> None:
    """Lambda goes down to two only where the concurrency has no maximum."""
    job = loaded()["Resources"]["Consolidate"]["Properties"]["Events"]["Job"]["Properties"]
    assert "MaximumConcurrency" in job["ScalingConfig"]


def test_a_sweep_that_finds_nothing_makes_the_requests_that_are_priced() -> None:
    made = yard()
    made.sweep()
    made.world.clock.sleep(3600)
    data, derived = CountingStore(made.world.data), CountingStore(made.world.derived)
    assert made.sweep(data=data, derived=derived).complete
    verbs = data.verbs() + derived.verbs()
    reads = verbs.count("get")
    said, times, usd = _at_rest("the sweep runs every hour")
    assert f"{len(verbs) - reads} PUT and LIST, {reads} GET, one second" in said
    stores = (len(verbs) - reads) * _price("S3 Standard: PUT") + reads * _price("S3 Standard: GET")
    started = _price("Lambda: requests") / 1e6 + _sweep_gb() * GB_SECOND
    assert int(times) == HOURS
    assert usd == pytest.approx(HOURS * (stores / 1000 + started), abs=5e-4)


def _sweep_gb() -> float:
    template = loaded()
    assert template["Parameters"]["SweepSchedule"]["Default"] == "rate(1 hour)"
    return float(template["Resources"]["Sweep"]["Properties"]["MemorySize"]) / 1024


def test_what_is_paid_at_rest_is_what_its_parts_are_and_what_other_pages_say() -> None:
    said, _, watching = _at_rest("dashboard")
    parts = [float(usd) for usd in re.findall(r"\d\.\d\d", said)]
    looked_at = sum(len(metrics_of(alarm)) for alarm in alarms().values())
    # 0.10 USD a metric of an alarm, 0.30 USD a metric of ours: docs/metrics.md.
    assert parts[1:] == pytest.approx([looked_at * 0.1, 3 * 0.3])
    queue, sweep = _at_rest("SQS")[2], _at_rest("the sweep runs")[2]
    assert sum(parts) == pytest.approx(watching)
    assert _at_rest("together")[2] == pytest.approx(watching + queue + sweep, abs=5e-3)
    for name in ("deploy", "comparison"):
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert f"{queue + sweep:.2f}" in page


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row.split("|")[1].strip())
def test_the_memory_is_one_that_the_template_gives(row: str) -> None:
    functions = of_type(loaded(), "AWS::Serverless::Function").values()
    given = {one["MemorySize"] for one in functions if "MemorySize" in one}
    given.add(loaded()["Globals"]["Function"]["MemorySize"])
    assert int(row.split("|")[-3]) in given
