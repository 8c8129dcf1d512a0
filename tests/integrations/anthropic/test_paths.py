"""Paths of the memory tool: which there are, and the keys of their documents."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from anthropic.lib.tools import ToolError
from hypothesis import given
from hypothesis import strategies as st

from everturn.integrations.anthropic.files import MemoryPath, parse_path
from everturn.integrations.anthropic.memory_tool import EverturnMemoryTool
from everturn.values.keys import is_plain
from integrations.anthropic.memory_tools import Ask, asking
from integrations.watched_transport import WatchedTransport

NAMES = st.text(
    st.characters(exclude_categories=(), exclude_characters="/"), min_size=1, max_size=5
)
PARTS = st.lists(NAMES | st.sampled_from(["a-b", "--", "-2d", "a.b", "~"]), min_size=1, max_size=3)


@pytest.fixture
def ask(wire: WatchedTransport) -> Iterator[Ask]:
    with wire.blocking_client() as client:
        yield asking(EverturnMemoryTool(client).call)


def text_of(ask: Ask, path: str) -> list[str]:
    """The lines of a file."""
    return [line.split("\t", 1)[1] for line in ask("view", path).split("\n")[1:]]


@given(PARTS, PARTS)
def test_no_two_paths_share_a_key_and_keys_are_listed_by_directory(
    one: list[str], two: list[str]
) -> None:
    first, second = MemoryPath.of(tuple(one)), MemoryPath.of(tuple(two))
    assert (first.key == second.key) == (one == two)
    assert second.is_below(first) == (two[: len(one)] == one and len(two) > len(one))
    assert second.key.startswith(first.prefix) >= second.is_below(first)
    assert is_plain(first.key)


@given(PARTS)
def test_a_path_of_plain_names_is_read_as_it_is(names: list[str]) -> None:
    path = MemoryPath.of(tuple(names))
    if {".", ".."} & set(names):
        return
    if re.search("[\ud800-\udfff]", path.told):
        with pytest.raises(ToolError, match="no Unicode text"):
            parse_path(path.told)
    else:
        assert parse_path(path.told).parts == path.parts


def test_a_key_is_what_it_was() -> None:
    """Another form would lose what is stored."""
    assert parse_path("/memories/notes/todo.txt").key == "inotes.-._todo.dtxt"
    assert parse_path("/memories").prefix == "i"


@pytest.mark.parametrize(
    "name", ["anna.k@example.com", "Anna has HIV.txt", "Ann\u00e4.txt", "x\0y"]
)
def test_what_is_no_plain_name_is_in_no_key(
    ask: Ask, wire: WatchedTransport, tmp_path: Path, name: str
) -> None:
    """Keys of objects and names of files are not encrypted."""
    ask("create", f"/memories/{name}/{name}", file_text="x")
    told = "".join([*wire.sent, *map(str, tmp_path.rglob("*"))]).lower()
    assert not any(part in told for part in ("anna", "ann\u00e4", "hiv", "example", "x\0y"))
    assert text_of(ask, f"/memories/{name}/{name}") == ["x"]
    assert f"/memories/{name}/{name}" in ask("view", "/memories")


@pytest.mark.parametrize(
    "path",
    [
        "/memories/%2e%2e/secret",
        "/memories/%2E%2E%2Fsecret",
        "/memories/..%2fsecret",
        "/memories/%252e%252e%252fsecret",
        "/memories/..\\secret",
        "/memories/a%5c..%5c..",
    ],
)
def test_an_encoded_way_out_is_refused(ask: Ask, path: str) -> None:
    """A disk takes these for names; who copies the files to one would not."""
    told = f"error: Path {path} would escape /memories directory"
    assert ask("create", path, file_text="x") == ask("view", path) == told


@pytest.mark.parametrize("path", ["/memoriesx", "/memories-2/a.txt"])
def test_another_root_is_none(ask: Ask, path: str) -> None:
    assert ask("view", path) == f"error: Path must start with /memories, got: {path}"


def test_a_path_of_any_length_is_one(ask: Ask) -> None:
    """Long ones share the beginning of their keys, and are told apart all the same."""
    long = "/".join(["x" * 60] * 3)
    ask("create", f"/memories/{long}/a", file_text="one")
    ask("create", f"/memories/{long}-2/{'y' * 2_000}", file_text="two")
    assert text_of(ask, f"/memories/{long}/a") == ["one"]
    assert ask("view", f"/memories/{long}").count("\n") == 2
    assert ask("delete", f"/memories/{long}").startswith("Successfully")
    assert text_of(ask, f"/memories/{long}-2/{'y' * 2_000}") == ["two"]
