"""Two agents on one memory: each edit is there, no file is lost or in the way."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from everturn.client import Everturn
from everturn.errors import UnavailableError
from everturn.integrations.anthropic.memory_tool import EverturnMemoryTool
from integrations.anthropic.memory_tools import Ask, asking
from integrations.watched_transport import WatchedTransport


@pytest.fixture
def ask(wire: WatchedTransport) -> Iterator[Ask]:
    with wire.blocking_client() as client:
        yield asking(EverturnMemoryTool(client).call)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    """Return another process's client."""
    with Everturn.local(tmp_path) as made:
        yield made


@pytest.fixture
def other(client: Everturn) -> Ask:
    return asking(EverturnMemoryTool(client).call)


def text_of(ask: Ask, path: str) -> list[str]:
    """The lines of a file."""
    return [line.split("\t", 1)[1] for line in ask("view", path).split("\n")[1:]]


def test_edits_of_two_agents_at_once_are_all_there(ask: Ask, other: Ask) -> None:
    ask("create", "/memories/a.txt", file_text="")

    def write(agent: Ask, name: str) -> None:
        for n in range(8):
            agent("insert", "/memories/a.txt", insert_line=0, insert_text=f"{name}{n}")

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(write, ask, "a"), threads.submit(write, other, "b")]:
            done.result()
    lines = text_of(ask, "/memories/a.txt")[:-1]
    assert [one for one in lines if one[0] == "a"] == [f"a{n}" for n in reversed(range(8))]
    assert sorted(lines) == sorted(f"{name}{n}" for name in "ab" for n in range(8))


def test_an_edit_is_applied_again_to_what_another_agent_left(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="one two")

    def forestall(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.before = None
            other("str_replace", "/memories/a.txt", old_str="one", new_str="1")

    wire.before = forestall
    ask("str_replace", "/memories/a.txt", old_str="two", new_str="2")
    assert text_of(other, "/memories/a.txt") == ["1 2"]


def test_a_file_that_is_edited_while_it_is_moved_is_moved_as_edited(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="one")

    def forestall(asked: str) -> None:
        if asked.startswith("DELETE"):
            wire.before = None
            other("str_replace", "/memories/a.txt", old_str="one", new_str="two")

    wire.before = forestall
    ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert text_of(ask, "/memories/b.txt") == ["two"]
    assert ask("view", "/memories/a.txt").startswith("error: ")


def test_a_file_that_is_deleted_while_it_is_moved_is_deleted(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="one")

    def forestall(asked: str) -> None:
        if asked.startswith("DELETE"):
            wire.before = None
            other("delete", "/memories/a.txt")

    wire.before = forestall
    told = ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert told == "error: The path /memories/a.txt does not exist"
    assert "txt" not in ask("view", "/memories")


def test_two_agents_do_not_move_to_the_same_place(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="one")

    def forestall(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.before = None
            other("create", "/memories/b.txt", file_text="two")

    wire.before = forestall
    told = ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert told == "error: The destination /memories/b.txt already exists"
    assert (text_of(ask, "/memories/a.txt"), text_of(ask, "/memories/b.txt")) == (["one"], ["two"])


def test_who_is_always_forestalled_gives_up_and_loses_nothing(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="")

    def forestall(asked: str) -> None:
        if asked.startswith("PUT"):
            other("insert", "/memories/a.txt", insert_line=0, insert_text="me first")

    wire.before = forestall
    with pytest.raises(UnavailableError, match="too many writers"):
        ask("insert", "/memories/a.txt", insert_line=0, insert_text="x")
    assert text_of(other, "/memories/a.txt") == ["me first"] * 32 + [""]
