"""What our memory tool promises beyond the package's own: paths, requests, refusals, the runner.

Not here: what every memory tool does (test_anthropic_memory_contract.py), two
agents at once (test_anthropic_memory_writers.py).
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from anthropic import Anthropic
from hypothesis import given
from hypothesis import strategies as st

from everturn.client import Everturn
from everturn.errors import UnavailableError
from everturn.integrations.anthropic_memory import EverturnMemoryTool
from everturn.integrations.anthropic_memory_paths import MemoryPath, parse_path, parts_of_key
from integrations.memory_tools import Ask, asking
from integrations.watched_transport import WatchedBlockingTransport

NAMES = st.text(
    st.characters(exclude_categories=(), exclude_characters="/"), min_size=1, max_size=5
)
PARTS = st.lists(NAMES | st.sampled_from(["a-b", "--", "-2d", "a.b", "~"]), min_size=1, max_size=3)


@pytest.fixture
def wire(tmp_path: Path) -> WatchedBlockingTransport:
    return WatchedBlockingTransport(tmp_path)


@pytest.fixture
def ask(wire: WatchedBlockingTransport) -> Iterator[Ask]:
    with wire.client() as client:
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


@given(PARTS, PARTS)
def test_no_two_paths_share_a_key_and_each_can_be_read_off(one: list[str], two: list[str]) -> None:
    first, second = MemoryPath.of(tuple(one)), MemoryPath.of(tuple(two))
    assert (first.key == second.key) == (one == two)
    assert parts_of_key(first.key) == tuple(one)
    assert second.key.startswith(first.prefix) == (two[: len(one)] == one and len(two) > len(one))


@given(PARTS)
def test_a_path_of_plain_names_is_read_as_it_is(names: list[str]) -> None:
    path = MemoryPath.of(tuple(names))
    if not {".", ".."} & set(names):
        assert parse_path(path.told).parts == path.parts


def test_a_key_is_what_it_was() -> None:
    """Another form would lose what is stored."""
    assert parse_path("/memories/notes/to-do list.txt").key == "m.notes--to-2ddo-20list.txt"
    assert parse_path("/memories").prefix == "m."


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


def test_requests_are_few(ask: Ask, wire: WatchedBlockingTransport) -> None:
    ask("create", "/memories/a.txt", file_text="x")
    assert wire.asked == ["GET anthropic-memory", "PUT m.a.txt"]
    wire.asked.clear()
    ask("view", "/memories/a.txt")
    ask("view", "/memories")
    assert wire.asked == ["GET m.a.txt", "GET anthropic-memory"]
    wire.asked.clear()
    ask("insert", "/memories/a.txt", insert_line=1, insert_text="y")
    assert wire.asked == ["GET m.a.txt", "PUT m.a.txt"]


def test_a_large_memory_is_shown_whole(ask: Ask) -> None:
    """Above 3 MiB a list is several answers."""
    for n in range(5):
        ask("create", f"/memories/{n}.txt", file_text="x" * 900_000)
    assert ask("view", "/memories").count("878.9K") == 5


def test_a_file_too_large_is_refused_in_words_for_the_model(ask: Ask) -> None:
    told = ask("create", "/memories/a.txt", file_text="x" * 1_048_577)
    assert told == "error: The file /memories/a.txt would be too large. At most 1 MiB."
    assert "a.txt" not in ask("view", "/memories")


def test_a_path_too_long_is_refused_in_words_for_the_model(ask: Ask) -> None:
    told = ask("create", f"/memories/{'x' * 2_000}", file_text="x")
    assert told.startswith("error: The path /memories/xxx")
    assert "cannot be used" in told


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


def test_a_failure_is_raised_though_the_client_does_its_best_effort(
    wire: WatchedBlockingTransport,
) -> None:
    """Else a memory that cannot be read would look empty, and be written anew."""

    def fail(_: str) -> None:
        raise httpx.ConnectError("no way there")

    wire.before = fail
    with Everturn("http://localhost", transport=wire, timeout_s=1, best_effort=True) as client:
        ask = asking(EverturnMemoryTool(client).call)
        for asked in (("view", "/memories"), ("view", "/memories/a")):
            with pytest.raises(UnavailableError, match="code="):
                ask(*asked)


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
