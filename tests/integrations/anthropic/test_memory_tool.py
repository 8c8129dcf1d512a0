"""What our memory tool promises beyond the package's own: paths, requests, refusals, the runner."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic
from hypothesis import strategies as st

from everturn.client import Everturn
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


@pytest.fixture
def other(client: Everturn) -> Ask:
    return asking(EverturnMemoryTool(client).call)


def text_of(ask: Ask, path: str) -> list[str]:
    """The lines of a file."""
    return [line.split("\t", 1)[1] for line in ask("view", path).split("\n")[1:]]


def test_a_file_is_no_directory(ask: Ask) -> None:
    ask("create", "/memories/a", file_text="x")
    error = "error: The path /memories/a is not a directory."
    assert ask("create", "/memories/a/b/c", file_text="y") == error
    assert ask("rename", old_path="/memories/a", new_path="/memories/a/b") == error


def test_a_directory_cannot_be_moved_into_itself(ask: Ask) -> None:
    ask("create", "/memories/a/b", file_text="x")
    told = ask("rename", old_path="/memories/a", new_path="/memories/a/c")
    assert told == "error: Cannot rename /memories/a into itself"
    assert text_of(ask, "/memories/a/b") == ["x"]


def test_a_directory_is_there_as_long_as_a_file_is_in_it(ask: Ask) -> None:
    ask("create", "/memories/a/b", file_text="x")
    ask("delete", "/memories/a/b")
    assert ask("view", "/memories/a").startswith("error: ")
    assert ask("create", "/memories/a", file_text="y").startswith("File created")


def test_requests_are_few(ask: Ask, wire: WatchedTransport) -> None:
    ask("create", "/memories/a.txt", file_text="x")
    assert wire.asked == ["GET anthropic-memory", "PUT i._a.dtxt"]
    wire.asked.clear()
    ask("view", "/memories/a.txt")
    ask("view", "/memories")
    assert wire.asked == ["GET i._a.dtxt", "GET anthropic-memory"]
    wire.asked.clear()
    ask("insert", "/memories/a.txt", insert_line=1, insert_text="y")
    assert wire.asked == ["GET i._a.dtxt", "PUT i._a.dtxt"]
    ask("create", "/memories/d/a.txt", file_text="x")
    wire.asked.clear()
    ask("view", "/memories/d")
    assert wire.asked == ["GET i._d", "GET anthropic-memory"]


def test_a_directory_is_read_in_one_request_for_100_files(ask: Ask, wire: WatchedTransport) -> None:
    for n in range(101):
        ask("create", f"/memories/{n}", file_text="x")
    wire.asked.clear()
    ask("view", "/memories")
    assert wire.asked == ["GET anthropic-memory"] * 2


def test_a_large_memory_is_shown_whole(ask: Ask) -> None:
    """Above 3 MiB a list is several answers."""
    for n in range(5):
        ask("create", f"/memories/{n}.txt", file_text="x" * 900_000)
    assert ask("view", "/memories").count("878.9K") == 5


def test_memories_of_two_spaces_and_two_users_do_not_meet(tmp_path: Path) -> None:
    with (
        Everturn.local(tmp_path, actor="ann") as ann,
        Everturn.local(tmp_path, actor="bob") as bob,
    ):
        asking(EverturnMemoryTool(ann).call)("create", "/memories/a.txt", file_text="x")
        for tool in (EverturnMemoryTool(bob), EverturnMemoryTool(ann, space="other")):
            assert "a.txt" not in asking(tool.call)("view", "/memories")


def test_all_memory_is_cleared(client: Everturn) -> None:
    tool = EverturnMemoryTool(client)
    asking(tool.call)("create", "/memories/d/a.txt", file_text="x")
    assert tool.clear_all_memory() == "All memory cleared"
    assert "a.txt" not in asking(tool.call)("view", "/memories")


def test_the_tool_runner_works_on_it(client: Everturn) -> None:
    """A scripted model behind the real client of the API: it writes, errs, and reads."""
    script: list[dict[str, Any]] = [
        {"command": "create", "path": "/memories/cat.txt", "file_text": "Nimbus"},
        {"command": "view", "path": "/memories/dog.txt"},
        {"command": "view", "path": "/memories/cat.txt"},
    ]
    asked: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        step = len(asked) - 1
        block = (
            {"type": "tool_use", "id": f"t{step}", "name": "memory", "input": script[step]}
            if step < len(script)
            else {"type": "text", "text": "Your cat is Nimbus."}
        )
        return httpx2.Response(
            200,
            json={
                "id": "m", "type": "message", "role": "assistant", "model": "scripted",
                "content": [block], "usage": {"input_tokens": 1, "output_tokens": 1},
                "stop_reason": block["type"] if step < len(script) else "end_turn",
            },
        )  # fmt: skip

    with Anthropic(
        api_key="dummy", http_client=httpx2.Client(transport=httpx2.MockTransport(answer))
    ) as api:
        last = api.beta.messages.tool_runner(
            model="scripted",
            max_tokens=100,
            messages=[{"role": "user", "content": "What is my cat called?"}],
            tools=[EverturnMemoryTool(client)],
        ).until_done()
    assert last.content[0].to_dict()["text"] == "Your cat is Nimbus."
    assert asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [one["messages"][-1]["content"][0] for one in asked[1:]]
    assert [one.get("is_error", False) for one in results] == [False, True, False]
    assert results[2]["content"].endswith("     1\tNimbus")
