"""The page of prices adds up: each sum is what its counts of requests cost at the prices it names.

Not here: the counts, which were measured, and whether AWS still asks so much.
"""

import re

import pytest

from docs.page_blocks import ROOT
from template.loaded import loaded, of_type

PAGE = (ROOT / "docs" / "limits-and-prices.md").read_text(encoding="utf-8")
CALLS = PAGE.partition("| 1,000 calls |")[2].partition("\n\n")[0].splitlines()[2:]
# What the page assumes of a function that answers.
SECONDS = 0.05
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


@pytest.mark.parametrize("row", CALLS, ids=lambda row: row.split("|")[1].strip())
def test_the_memory_is_one_that_the_template_gives(row: str) -> None:
    functions = of_type(loaded(), "AWS::Serverless::Function").values()
    given = {one["MemorySize"] for one in functions if "MemorySize" in one}
    given.add(loaded()["Globals"]["Function"]["MemorySize"])
    assert int(row.split("|")[-3]) in given
