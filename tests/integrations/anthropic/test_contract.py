"""What the memory tool tells a model, whoever keeps the files, on the same commands."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from integrations.anthropic.memory_tools import KINDS, Ask, tool_of


@pytest.fixture(params=KINDS)
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ask]:
    with tool_of(request.param, tmp_path) as made:
        yield made


def files(listing: str) -> list[str]:
    """The rows of a list, without the sizes of directories: a disk's are those of its blocks."""
    _, top, *rows = listing.split("\n")
    return [row if not row.endswith("/") else row.split("\t")[1] for row in [*rows, top + "/"]][:-1]


def test_a_file_is_created_once(ask: Ask) -> None:
    created = ask("create", "/memories/a.txt", file_text="one\ntwo\n")
    assert created == "File created successfully at: /memories/a.txt"
    again = ask("create", "/memories/a.txt", file_text="")
    assert again == "error: File /memories/a.txt already exists"
    assert ask("view", "/memories/a.txt").endswith("     1\tone\n     2\ttwo\n     3\t")


def test_a_directory_is_no_place_for_a_file(ask: Ask) -> None:
    ask("create", "/memories/d/a.txt", file_text="x")
    for path in ("/memories/d", "/memories"):
        assert ask("create", path, file_text="") == f"error: File {path} already exists"
        no_file = f"error: The path {path} is not a file."
        assert ask("str_replace", path, old_str="a", new_str="b") == no_file
        assert ask("insert", path, insert_line=0, insert_text="b") == no_file


def test_a_file_is_shown_by_lines(ask: Ask) -> None:
    ask("create", "/memories/a.txt", file_text="one\ntwo\r\nthree")
    lines = ["     1\tone", "     2\ttwo\r", "     3\tthree"]
    shown: list[tuple[list[int] | None, list[str]]] = [
        (None, lines), ([], lines), ([1], lines), ([1, 2], lines[:2]), ([2, -1], lines[1:]),
        ([0, 2], lines[:2]), ([-3, 2], lines[:2]), ([2, 99], lines[1:]), ([3, 2], []),
        ([9, 9], []), ([1, -2], lines[:1]),
    ]  # fmt: skip
    header = "Here's the content of /memories/a.txt with line numbers:\n"
    for view_range, rows in shown:
        told = ask("view", "/memories/a.txt", view_range=view_range)
        assert told == header + "\n".join(rows), view_range


def test_a_directory_is_shown_two_levels_deep_by_name(ask: Ask) -> None:
    for path in ("b.txt", "a/z.txt", "a/b/c.txt", "a/b/d/e.txt", ".hidden", "a/.git/x", "c-d/f"):
        ask("create", f"/memories/{path}", file_text="x" * len(path))
    ask("create", "/memories/long.md", file_text="é" * 1_000)
    listing = ask("view", "/memories")
    assert listing.startswith(
        "Here're the files and directories up to 2 levels deep in /memories, "
        "excluding hidden items:\n"
    )
    assert files(listing) == [
        "/memories/a/", "/memories/a/b/", "7B\t/memories/a/z.txt", "5B\t/memories/b.txt",
        "/memories/c-d/", "5B\t/memories/c-d/f", "2.0K\t/memories/long.md",
    ]  # fmt: skip
    assert files(ask("view", "/memories/a")) == [
        "/memories/a/b/", "9B\t/memories/a/b/c.txt", "/memories/a/b/d/", "7B\t/memories/a/z.txt",
    ]  # fmt: skip


def test_an_empty_memory_is_shown(ask: Ask) -> None:
    assert re.fullmatch(r"Here're .*:\n[^\t]*\t/memories", ask("view", "/memories"))


def test_a_size_is_shown_short(ask: Ask) -> None:
    for size in (0, 1, 1_023, 1_024, 1_536, 700_000):
        ask("create", f"/memories/{size:06}", file_text="x" * size)
    sizes = [row.split("\t")[0] for row in files(ask("view", "/memories"))]
    assert sizes == ["0B", "1B", "1023B", "1K", "1.5K", "683.6K"]


def test_a_text_is_replaced_where_it_occurs_once(ask: Ask, tmp_path: Path) -> None:
    """What is told is compared with the package's own, word for word."""
    cases = [
        ("one\ntwo\nthree\nfour\nfive\nsix", "four", "4\n4"), ("one", "one", ""),
        ("aaa", "aa", "b"), ("", "", "x"), ("one one\none", "one", "two"),
        ("aba aba", "aba", "two"), ("one", "", "two"), ("one", "two", "three"),
    ]  # fmt: skip
    with tool_of("theirs", tmp_path / "theirs") as theirs:
        for number, (text, old, new) in enumerate(cases):
            path = f"/memories/{number}"
            said = [
                [
                    one("create", path, file_text=text),
                    one("str_replace", path, old_str=old, new_str=new),
                    one("view", path),
                ]
                for one in (ask, theirs)
            ]
            assert said[0] == said[1]
    assert ask("view", "/memories/0").endswith("\n     4\t4\n     5\t4\n     6\tfive\n     7\tsix")
    assert ask("view", "/memories/4").endswith("\n     1\tone one\n     2\tone")


def test_a_text_is_inserted_behind_a_line(ask: Ask, tmp_path: Path) -> None:
    """What is told is compared with the package's own, word for word."""
    texts = ["", "\n", "a", "a\n", "a\n\n", "a\r\nb", "a\nb\n\n\n"]
    with tool_of("theirs", tmp_path / "theirs") as theirs:
        cases = product(texts, [-1, 0, 1, 9], ["x\ny\n\n", ""])
        for number, (text, line, inserted) in enumerate(cases):
            path = f"/memories/{number}"
            said = [
                [
                    one("create", path, file_text=text),
                    one("insert", path, insert_line=line, insert_text=inserted),
                    one("view", path),
                ]
                for one in (ask, theirs)
            ]
            assert said[0] == said[1]
    assert ask("view", "/memories/20").endswith("     1\ta\n     2\tx\n     3\ty\n     4\t")


def test_what_is_not_there_is_said_so(ask: Ask) -> None:
    path = "/memories/a.txt"
    hint = f"error: The path {path} does not exist. Please provide a valid path."
    assert ask("view", path) == hint
    assert ask("str_replace", path, old_str="a", new_str="b") == hint
    assert ask("insert", path, insert_line=0, insert_text="b") == hint
    missing = f"error: The path {path} does not exist"
    assert ask("delete", path) == missing
    assert ask("rename", old_path=path, new_path="/memories/b.txt") == missing


def test_a_file_or_a_directory_is_deleted(ask: Ask) -> None:
    for path in ("a.txt", "d/b.txt", "d/e/c.txt", "d-f"):
        ask("create", f"/memories/{path}", file_text="x")
    assert ask("delete", "/memories/a.txt") == "Successfully deleted /memories/a.txt"
    assert ask("delete", "/memories/d") == "Successfully deleted /memories/d"
    assert files(ask("view", "/memories")) == ["1B\t/memories/d-f"]
    root = "error: Cannot delete the /memories directory itself"
    assert ask("delete", "/memories") == ask("delete", "/memories/") == root


def test_a_file_or_a_directory_is_renamed_to_where_nothing_is(ask: Ask) -> None:
    for path in ("a.txt", "d/b.txt", "d/e/c.txt"):
        ask("create", f"/memories/{path}", file_text=path)
    told = ask("rename", old_path="/memories/a.txt", new_path="/memories/n/a.txt")
    assert told == "Successfully renamed /memories/a.txt to /memories/n/a.txt"
    ask("rename", old_path="/memories/d", new_path="/memories/n/d")
    assert files(ask("view", "/memories/n")) == [
        "5B\t/memories/n/a.txt", "/memories/n/d/", "7B\t/memories/n/d/b.txt", "/memories/n/d/e/",
    ]  # fmt: skip
    assert ask("view", "/memories/n/d/e/c.txt").endswith("     1\td/e/c.txt")

    for taken in ("/memories/n/a.txt", "/memories/n/d", "/memories"):
        told = ask("rename", old_path="/memories/n/d/b.txt", new_path=taken)
        assert told == f"error: The destination {taken} already exists"
    told = ask("rename", old_path="/memories", new_path="/memories/x")
    assert told == "error: Cannot rename the /memories directory itself"


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "memories/a", "", "/memories/..", "/memories/../a", "/memories/a/../../b"],
)
def test_a_path_outside_is_refused_by_every_command(ask: Ask, path: str) -> None:
    inside = path.startswith("/memories")
    error = (
        f"error: Path {path} would escape /memories directory"
        if inside
        else f"error: Path must start with /memories, got: {path}"
    )
    assert ask("view", path) == error
    assert ask("create", path, file_text="x") == error
    assert ask("str_replace", path, old_str="x", new_str="y") == error
    assert ask("insert", path, insert_line=0, insert_text="x") == error
    assert ask("delete", path) == error
    assert ask("rename", old_path=path, new_path="/memories/a") == error
    assert ask("rename", old_path="/memories/a", new_path=path) == error


def test_a_path_may_take_a_detour(ask: Ask) -> None:
    ask("create", "/memories/a.txt", file_text="x")
    for path in ("/memories//a.txt", "/memories/./a.txt", "/memories/b/../a.txt"):
        told = ask("view", path)
        assert told == f"Here's the content of {path} with line numbers:\n     1\tx"


def test_a_file_may_have_any_name(ask: Ask) -> None:
    names = ["a&b<c>", "a%20b", "a--b", "a-2db", "a-b", "x" * 200, "ä b", "日本.md"]
    for name in names:
        ask("create", f"/memories/d/{name}", file_text="x")
    rows = files(ask("view", "/memories/d"))
    assert sorted(rows) == sorted(f"1B\t/memories/d/{name}" for name in names)
