"""What the memory tool says where it cannot, or must not, do what it is asked."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import strategies as st

from client.hand_time import HandClock
from everturn.client import Everturn
from everturn.errors import UnavailableError
from everturn.integrations.anthropic.files import parse_path
from everturn.integrations.anthropic.memory_tool import EverturnMemoryTool
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


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    """Return another process's client."""
    with Everturn.local(tmp_path) as made:
        yield made


def client_without_waits(wire: WatchedTransport) -> Everturn:
    """Return a client that goes on without what fails, and waits by a clock of its own."""
    return Everturn("http://localhost", transport=wire, clock=HandClock(), best_effort=True)


def test_a_file_too_large_is_refused_in_words_for_the_model(ask: Ask) -> None:
    told = ask("create", "/memories/a.txt", file_text="x" * 1_048_577)
    assert told == "error: The file /memories/a.txt would be too large. At most 1 MiB."
    assert "a.txt" not in ask("view", "/memories")


@pytest.mark.parametrize("value", [{"x": 1}, 5, {"path": "/memories/a", "text": 1}, {"text": "q"}])
def test_what_another_program_put_there_hides_no_file(
    ask: Ask, client: Everturn, value: object
) -> None:
    ask("create", "/memories/b", file_text="x")
    for key in (parse_path("/memories/a").key, "other", "~"):
        client.put_document("anthropic-memory", key, value)
    assert ask("view", "/memories").endswith("\n1B\t/memories/b")
    if value != {"text": "q"}:
        assert ask("view", "/memories/a") == "error: The path /memories/a is not a file."
    assert ask("create", "/memories/a", file_text="y") == "error: File /memories/a already exists"
    assert ask("delete", "/memories/a") == "Successfully deleted /memories/a"
    EverturnMemoryTool(client).clear_all_memory()
    assert ask("view", "/memories").count("\n") == 1


def test_places_of_a_text_are_told_in_one_pass_and_not_all(ask: Ask) -> None:
    ask("create", "/memories/a", file_text="a" * 300_000)
    for old in ("a", ""):
        told = ask("str_replace", "/memories/a", old_str=old, new_str="b")
        assert f"lines: {', '.join(['1'] * 20)}, .... Please" in told
    told = ask("str_replace", "/memories/a", old_str="b" * 300_000, new_str="b")
    assert "b...` did not appear" in told
    assert len(told) < 3_000


@pytest.mark.parametrize("view_range", [["a", 2], [1.5, 2], [None, 2], "12", 5, {"from": 1}])
def test_a_range_that_is_none_is_refused_in_words(ask: Ask, view_range: object) -> None:
    ask("create", "/memories/a", file_text="x")
    told = ask("view", "/memories/a", view_range=view_range)
    assert told.startswith("error: Invalid `view_range` parameter")
    told = ask("insert", "/memories/a", insert_line=view_range, insert_text="y")
    assert told.startswith("error: Invalid `insert_line` parameter")


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("GET", ("view", "/memories")),
        ("GET", ("view", "/memories/a")),
        ("PUT", ("create", "/memories/b", {"file_text": "x"})),
        ("PUT", ("insert", "/memories/a", {"insert_line": 0, "insert_text": "y"})),
        ("PUT", ("rename", "", {"old_path": "/memories/a", "new_path": "/memories/b"})),
        ("DELETE", ("rename", "", {"old_path": "/memories/a", "new_path": "/memories/b"})),
        ("DELETE", ("rename", "", {"old_path": "/memories/d", "new_path": "/memories/b"})),
        ("DELETE", ("delete", "/memories/a")),
        ("DELETE", ("delete", "/memories/d")),
    ],
)
def test_a_failure_is_raised_though_the_client_does_its_best_effort(
    ask: Ask, wire: WatchedTransport, method: str, asked: tuple[Any, ...]
) -> None:
    """Else a memory that cannot be read would look empty, and one would be told that it is gone."""
    for path in ("/memories/a", "/memories/d/c"):
        ask("create", path, file_text="x")

    def fail(asked: str) -> None:
        if asked.startswith(method):
            raise httpx.ConnectError("no way there")

    wire.before = fail
    command, path, *more = asked
    with client_without_waits(wire) as client, pytest.raises(UnavailableError):
        asking(EverturnMemoryTool(client).call)(command, path, **(more[0] if more else {}))
    if method == "DELETE":
        with client_without_waits(wire) as client, pytest.raises(UnavailableError):
            EverturnMemoryTool(client).clear_all_memory()


def test_a_list_that_breaks_off_is_not_taken_for_the_whole(
    ask: Ask, wire: WatchedTransport
) -> None:
    """Nor is a directory said to be cleared of which a page was not read."""
    for n in range(5):
        ask("create", f"/memories/{n}", file_text="x" * 900_000)
    wire.asked.clear()

    def fail(_: str) -> None:
        if len(wire.asked) > 1:
            raise httpx.ConnectError("no way there")

    wire.before = fail
    with client_without_waits(wire) as client:
        for call in (partial(asking(EverturnMemoryTool(client).call), "view", "/memories"),
                     EverturnMemoryTool(client).clear_all_memory):  # fmt: skip
            wire.asked.clear()
            with pytest.raises(UnavailableError):
                call()
