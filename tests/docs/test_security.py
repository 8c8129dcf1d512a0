"""SECURITY.md names files, tests and parameters that are there."""

import re
from pathlib import Path

import pytest

from template.loaded import loaded

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
FILES = re.findall(r"`((?:tests|docs|shared|functions|\.ci)/[\w./-]+)`", SECURITY)
NAMES = re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`", SECURITY)


@pytest.mark.parametrize("name", sorted(set(FILES)))
def test_a_file_that_it_names_is_there(name: str) -> None:
    assert (ROOT / name).is_file()


@pytest.mark.parametrize("name", sorted(set(NAMES)))
def test_a_parameter_or_a_resource_that_it_names_is_in_the_template(name: str) -> None:
    assert name in {**loaded()["Parameters"], **loaded()["Resources"]}


def test_every_row_of_what_is_defended_names_a_test() -> None:
    table = SECURITY.partition("| attack |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(table) >= 10
    for row in table:
        assert re.search(r"`tests/[\w/]+/test_\w+\.py`", row), row
