"""What is found on a page, and what counts as printed: on pages of the test's own."""

from pathlib import Path

import pytest

from docs.page_blocks import Block, blocks_of, links_of, parts_of, stories_of
from docs.page_runs import agrees, commands_of, run_story

PAGE = """# One page

See [the other](other.md#a-part) and [there](https://example.com/).

<!-- example -->
```python
print(1 + 1)
```

```text
2
```

```python
x = 1
```

Words between.

```text
no output of anything
```

<!-- continued -->
```console
$ echo a \\
  b
a b
$ true
$ ls
page.md.py
```

## A part: `code`, and more
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def story(tmp_path: Path, code: str, output: str | None = None) -> tuple[Block]:
    return (Block(tmp_path / "page.md", 7, "python", "example", code, output),)


def test_a_block_has_its_mark_its_line_and_what_it_prints(page: Path) -> None:
    first = blocks_of(page)[0]
    assert (first.line, first.mark) == (7, "example")
    assert (first.code, first.output) == ("print(1 + 1)\n", "2\n")


def test_text_is_what_a_block_prints_only_directly_after_it(page: Path) -> None:
    assert blocks_of(page)[2].output is None


def test_a_block_that_is_continued_belongs_to_the_one_before(page: Path) -> None:
    [one] = stories_of(page)
    assert [block.language for block in one] == ["python", "console"]


def test_a_command_may_go_on_in_the_next_line(page: Path) -> None:
    assert commands_of(blocks_of(page)[-1]) == [
        ("echo a \\\n  b", "a b\n"), ("true", ""), ("ls", "page.md.py\n"),
    ]  # fmt: skip


def test_blocks_of_a_story_run_in_one_folder(page: Path, tmp_path: Path) -> None:
    [one] = stories_of(page)
    run_story(one, tmp_path)


def test_links_within_and_headings_are_found(page: Path) -> None:
    assert links_of(page) == ["other.md#a-part"]
    assert list(parts_of(page)) == ["one-page", "a-part-code-and-more"]


def test_an_example_that_prints_something_else_fails_with_page_and_line(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"page\.md:7"):
        run_story(story(tmp_path, "print(3)", "2\n"), tmp_path)


def test_an_example_that_prints_without_a_word_of_it_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="printed"):
        run_story(story(tmp_path, "print(3)"), tmp_path)


def test_an_example_that_fails_names_the_line_on_the_page(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="line 8"):
        run_story(story(tmp_path, "x = 1\nraise ValueError\n"), tmp_path)


def test_an_example_reaches_nobody_elses_machine_account_or_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("EVERTURN_STORE", "mine")
    code = """
import os, pathlib, httpx
assert not [name for name in os.environ if name.startswith(("AWS_P", "EVERTURN_"))]
assert list(pathlib.Path.home().iterdir()) == []
try:
    httpx.get("http://192.0.2.1/", timeout=60)
except httpx.ConnectError:
    print("refused")
"""
    run_story(story(tmp_path, code, "refused\n"), tmp_path)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("", ""),
        ("at 2026-01-01T00:00:00Z\n", "at 2031-12-31T23:59:59.123Z\n"),
        ("0.331  #1\n", "0.972  #1\n"),
        ("id=...\n", "id=7f3a\n"),
        ("first\n...\nlast\n", "first\nlast\n"),
        ("first\n...\nlast\n", "first\na\nb\nlast\n"),
        ("a.b\n", "a.b"),
    ],
)
def test_what_differs_each_time_agrees(expected: str, printed: str) -> None:
    assert agrees(expected, printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("", "x\n"),
        ("x\n", ""),
        ("id=... end\n", "id=7f3a\n"),
        ("id=...\n", "id=1\nid=2\n"),
        ("a.b\n", "axb\n"),
        ("first\n...\n", "second\n"),
    ],
)
def test_anything_else_does_not(expected: str, printed: str) -> None:
    assert not agrees(expected, printed)
