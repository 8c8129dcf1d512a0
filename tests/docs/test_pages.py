"""The pages are true.

Their examples run and print what they say, and their links lead somewhere.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.page_blocks import (
    PAGES,
    ROOT,
    Block,
    blocks_of,
    links_of,
    named,
    parts_of,
    stories_of,
)
from docs.page_runs import run_again, run_story

DOCS = ROOT / "docs"
BLOCKS = [block for page in PAGES for block in blocks_of(page)]
# A person reads an example of a framework without scrolling.
MOST_LINES = 30
# What a reader finds another way: runbooks by their alarms, decisions in their folder.
_LISTED_ELSEWHERE = {"runbooks", "decisions"}


def _stories() -> Iterator[Any]:
    for page in PAGES:
        for story in stories_of(page):
            # Each command is a process that starts, a page's session has some ten of them; and a
            # framework takes seconds to load.
            slow = page.parent.name == "integrations" or any(
                block.language != "python" or block.is_served for block in story
            )
            marks = [pytest.mark.slow] if slow else []
            yield pytest.param(story, id=str(story[0]), marks=marks)


@pytest.mark.parametrize("story", list(_stories()))
def test_an_example_runs_and_prints_what_the_page_says(
    story: tuple[Block, ...], tmp_path: Path
) -> None:
    run_story(story, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "story",
    [one for page in PAGES for one in stories_of(page) if {b.language for b in one} == {"python"}],
    ids=lambda story: str(story[0]),
)
def test_an_example_ends_well_where_it_ran_before(story: tuple[Block, ...], tmp_path: Path) -> None:
    """A reader changes a line and runs it again, in the same folder."""
    run_story(story, tmp_path)
    run_again(story, tmp_path)


@pytest.mark.parametrize("block", [one for one in BLOCKS if one.language == "python"], ids=str)
def test_python_on_a_page_compiles(block: Block) -> None:
    ast.parse("\n" * (block.line - 1) + block.code, named(block.page))


@pytest.mark.parametrize("block", [one for one in BLOCKS if one.mark], ids=str)
def test_a_mark_is_one_that_is_known(block: Block) -> None:
    """Else a slip of the pen would leave an example out."""
    assert block.mark_is_known, f"{block} {block.mark}"


@pytest.mark.parametrize("block", [one for one in BLOCKS if "$ " in one.code[:2]], ids=str)
def test_commands_with_what_they_print_are_run(block: Block) -> None:
    assert block.mark, f"{block} has no mark"


@pytest.mark.parametrize("page", sorted((DOCS / "integrations").glob("*.md")), ids=named)
def test_a_page_of_an_integration_has_an_example_that_a_person_reads_at_once(page: Path) -> None:
    examples = [block for block in blocks_of(page) if block.mark == "example"]
    assert examples
    assert all(len(block.code.splitlines()) <= MOST_LINES for block in examples)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    for target in links_of(page):
        path, _, part = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not part or part in parts_of(there), target


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_block_of_a_page_is_found(page: Path) -> None:
    """One that is indented, or not closed, would be passed over in silence."""
    fences = [line for line in page.read_text("utf-8").splitlines() if line.strip()[:3] == "```"]
    assert len(fences) == 2 * len(blocks_of(page))


def test_every_page_is_in_the_index() -> None:
    index = DOCS / "README.md"
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in links_of(index)}
    pages = {page for page in DOCS.rglob("*.md") if page != index}
    listed = {page for page in pages if page.parent.name not in _LISTED_ELSEWHERE}
    assert sorted(map(named, listed - linked)) == []
