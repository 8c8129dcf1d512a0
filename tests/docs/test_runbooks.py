"""The runbooks: one page for each alarm, and nothing in it that is not there."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from everturn.edge.function import METRICS
from template.loaded import loaded
from template.watched import alarms, widgets

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "runbooks"
INDEX = FOLDER / "README.md"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page != INDEX)
EVERY = [*PAGES, INDEX]
MAX_LINES = 45
# What a metric of ours may be taken for: names of AWS's own, of fields and of settings.
_WORD = re.compile(r"`([A-Z][a-z]+[A-Z][A-Za-z]+)`")
# Commands that work on a whole store, its queue or the installation.
FOR_ALL = {"doctor", "redrive", "sweep"}
_COMMAND = re.compile(r"(?:^|`)everturn ([a-z]+)([^`\n]*)", re.MULTILINE)


def _alarmed(page: Path) -> list[str]:
    said = f"; see docs/runbooks/{page.name}"
    return [name for name, alarm in alarms().items() if alarm["AlarmDescription"].endswith(said)]


def _ids(page: Path) -> str:
    return page.stem


@pytest.mark.parametrize("page", PAGES, ids=_ids)
def test_a_page_is_named_by_an_alarm_and_by_the_index_beside_it(page: Path) -> None:
    names = _alarmed(page)
    assert names
    [row] = [line for line in INDEX.read_text().splitlines() if f"({page.name})" in line]
    assert sorted(re.findall(r"\w+Alarm", row)) == sorted(names)


def test_the_index_names_each_alarm_once() -> None:
    named = re.findall(r"\w+Alarm\b", INDEX.read_text())
    assert sorted(named) == sorted(alarms())


@pytest.mark.parametrize("page", PAGES, ids=_ids)
def test_a_page_says_what_it_means_where_to_look_what_to_do_and_when_it_is_over(
    page: Path,
) -> None:
    text = page.read_text()
    found = re.findall(r"^\*\*([A-Z][a-z ]+?)[.,]?(?:\*\*|,| by)", text, re.MULTILINE)
    parts = ["What it means", "Look first", "Likely causes", "Do", "Over when"]
    assert [part.strip() for part in found] == parts
    assert len(text.splitlines()) <= MAX_LINES


@pytest.mark.parametrize("page", EVERY, ids=_ids)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        assert (FOLDER / target).is_file(), target


@pytest.mark.parametrize("page", EVERY, ids=_ids)
def test_a_widget_that_a_page_names_is_on_the_dashboard(page: Path) -> None:
    titles = {widget["properties"]["title"] for widget in widgets()}
    text = page.read_text()
    assert set(re.findall(r"[Ww]idgets? `([^`]+)`", text)) <= titles
    if page != INDEX:
        assert any(f"`{title}`" in text for title in titles)


@pytest.mark.parametrize("page", EVERY, ids=_ids)
def test_a_word_that_looks_like_a_metric_or_a_parameter_is_one(page: Path) -> None:
    others = {"MisconfiguredError", "ImportModuleError", "MemorySize"}
    known = set(METRICS.values()) | set(loaded()["Parameters"]) | set(alarms()) | others
    assert set(_WORD.findall(page.read_text())) <= known


@cache
def _help_of(command: str) -> str:
    everturn = Path(sys.executable).with_name("everturn")
    done = subprocess.run([everturn, command, "--help"], check=True, capture_output=True, text=True)
    return done.stdout


def _commands() -> list[tuple[str, str]]:
    texts = [page.read_text() for page in EVERY]
    return sorted({found for text in texts for found in _COMMAND.findall(text)})


@pytest.mark.parametrize(("command", "rest"), _commands())
def test_a_command_of_a_page_is_one_with_the_options_that_it_has(command: str, rest: str) -> None:
    told = _help_of(command)
    for option in re.findall(r"--[a-z-]+", rest):
        assert f"{option} " in told or f"{option}\n" in told


@pytest.mark.parametrize(("command", "rest"), _commands())
def test_a_command_on_the_data_of_a_user_says_whose(command: str, rest: str) -> None:
    """Else it would be that of `local/local`, in a bucket of a stack."""
    assert command in FOR_ALL or rest.rstrip().endswith(" --tenant T --actor A")


@pytest.mark.parametrize("page", EVERY, ids=_ids)
def test_a_command_runs_on_a_mac_too(page: Path) -> None:
    """`date -d` is GNU's alone."""
    assert not re.search(r"\bdate\b[^)\n]* -[dv]", page.read_text())


def test_commands_are_found_where_they_stand() -> None:
    assert {command for command, _ in _commands()} >= {"redrive", "status", "sweep", "consolidate"}


@pytest.mark.parametrize("page", EVERY, ids=_ids)
def test_a_query_asks_for_fields_that_lines_have(page: Path) -> None:
    known = {
        "@timestamp", "@message", "function_name", "function_request_id", "level", "route",
        "status", "code", "reason", "cause", "error_type", "correlation_id", "message_id",
        "receives",
    }  # fmt: skip
    for query in re.findall(r"```\n(fields .*?)```", page.read_text(), re.DOTALL):
        fields = query.splitlines()[0].removeprefix("fields ").split(", ")
        filtered = re.findall(r"([@\w]+) (?:=|like) ", query)
        grouped = re.findall(r" by ([\w, ]+)$", query, re.MULTILINE)
        asked = {*fields, *filtered, *(name for group in grouped for name in group.split(", "))}
        assert asked <= known
