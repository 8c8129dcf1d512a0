"""Requests and answers that get lost while two agents write: no edit is lost, none is doubled."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from client.hand_time import HandClock
from everturn.client import Everturn
from everturn.integrations.anthropic.files import parse_path
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


def test_an_equal_edit_of_another_agent_is_not_taken_for_a_request_that_got_lost(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="")

    def lose(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.before = None
            other("insert", "/memories/a.txt", insert_line=0, insert_text="one more")
            raise httpx.ReadError("lost on its way")

    wire.before = lose
    ask("insert", "/memories/a.txt", insert_line=0, insert_text="one more")
    assert text_of(ask, "/memories/a.txt") == ["one more", "one more", ""]


def test_an_edit_whose_answer_got_lost_is_done_once_though_others_edit_after_it(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="x")

    def lose(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.after = None
            for n in range(5):
                other("insert", "/memories/a.txt", insert_line=0, insert_text=f"other {n}")
            raise httpx.ReadError("lost on its way")

    wire.after = lose
    told = ask("str_replace", "/memories/a.txt", old_str="x", new_str="y")
    assert told.startswith("The memory file has been edited.")
    assert text_of(ask, "/memories/a.txt") == [*(f"other {n}" for n in range(4, -1, -1)), "y", ""]


def test_a_creation_whose_answer_got_lost_is_one_though_others_edit_after_it(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    def lose(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.after = None
            other("str_replace", "/memories/a.txt", old_str="x", new_str="y")
            raise httpx.ReadError("lost on its way")

    wire.after = lose
    assert ask("create", "/memories/a.txt", file_text="x").startswith("File created")
    assert text_of(ask, "/memories/a.txt") == ["y"]


def test_a_creation_of_another_agent_is_not_taken_for_a_request_that_got_lost(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    def lose(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.before = None
            other("create", "/memories/a.txt", file_text="x")
            raise httpx.ReadError("lost on its way")

    wire.before = lose
    told = ask("create", "/memories/a.txt", file_text="x")
    assert told == "error: File /memories/a.txt already exists"


def test_a_move_whose_answer_got_lost_keeps_the_file_and_the_one_in_its_place(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="one")

    def lose(asked: str) -> None:
        if asked.startswith("DELETE"):
            wire.after = None
            other("create", "/memories/a.txt", file_text="two")
            raise httpx.ReadError("lost on its way")

    wire.after = lose
    told = ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert told.startswith("Successfully renamed")
    assert (text_of(ask, "/memories/a.txt"), text_of(ask, "/memories/b.txt")) == (["two"], ["one"])


def test_a_move_that_got_lost_is_done_again_with_what_was_edited_meanwhile(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    """The copy is taken back, unless it was edited: then it is another agent's file, and stays."""
    ask("create", "/memories/a.txt", file_text="one")

    def lose(asked: str) -> None:
        if asked.startswith("DELETE"):
            wire.before = None
            other("str_replace", "/memories/a.txt", old_str="one", new_str="two")
            raise httpx.ReadError("lost on its way")

    wire.before = lose
    ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert text_of(ask, "/memories/b.txt") == ["two"]
    assert ask("view", "/memories/a.txt").startswith("error: ")


def test_a_move_of_another_programs_file_that_got_lost_is_done_again(
    client: Everturn, wire: WatchedTransport
) -> None:
    """It names no writes. The request is lost as often as the client tries."""
    value = {"path": "/memories/a.txt", "text": "one"}
    client.put_document("anthropic-memory", parse_path("/memories/a.txt").key, value)
    lost: list[str] = []

    def lose(asked: str) -> None:
        if asked.startswith("DELETE"):
            lost.append(asked)
            raise httpx.ReadError("lost on its way")
        if lost:
            wire.before = None

    wire.before = lose
    with Everturn("http://localhost", transport=wire, clock=HandClock()) as client_without_waits:
        ask = asking(EverturnMemoryTool(client_without_waits).call)
        told = ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert told.startswith("Successfully renamed")
    left = [row.key for row in client.all_documents("anthropic-memory")]
    assert left == [parse_path("/memories/b.txt").key]


def test_a_copy_that_others_edit_is_not_taken_back(
    ask: Ask, other: Ask, wire: WatchedTransport
) -> None:
    ask("create", "/memories/a.txt", file_text="one")

    def lose(asked: str) -> None:
        if asked.startswith("PUT"):
            wire.after = None
            other("str_replace", "/memories/b.txt", old_str="one", new_str="edited")
            other("delete", "/memories/a.txt")
            raise httpx.ReadError("lost on its way")

    wire.after = lose
    told = ask("rename", old_path="/memories/a.txt", new_path="/memories/b.txt")
    assert told == "error: The path /memories/a.txt does not exist"
    assert text_of(ask, "/memories/b.txt") == ["edited"]
