"""What the server says of itself, and which calls it refuses."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from client.hand_time import AsyncHandClock
from everturn.client import AsyncEverturn
from everturn.integrations.mcp.server import memory_server
from integrations.mcp.mcp_sessions import answered, in_process, refused

pytestmark = pytest.mark.anyio

_ABSENT = "0" * 32

# Read-only, destructive, idempotent.
HINTS = {
    "search_memory": (True, False, True),
    "add_memory": (False, False, False),
    "list_memories": (True, False, True),
    "correct_memory": (False, True, True),
    "forget_memory": (False, True, True),
    "pin_memory": (False, False, True),
    "recall_conversation": (True, False, True),
    "list_conversations": (True, False, True),
    "recent_turns": (True, False, True),
    "get_context": (True, False, True),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of those tests that must not change it; it is opened once."""
    return tmp_path_factory.mktemp("empty")


async def test_the_tools_are_these_and_each_says_what_it_does_to_the_memory(folder: Path) -> None:
    async with in_process(folder) as (client, _):
        tools = (await client.list_tools()).tools
    said = {}
    for tool in tools:
        assert tool.annotations is not None
        hints = tool.annotations
        assert hints.open_world_hint is False
        said[tool.name] = (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint)
    assert said == HINTS


async def test_arguments_are_described_and_none_names_a_user_or_makes_a_rule(folder: Path) -> None:
    async with in_process(folder) as (client, _):
        tools = (await client.list_tools()).tools
    for tool in tools:
        schema = tool.input_schema
        assert schema["additionalProperties"] is False
        assert not schema["properties"].keys() & {"actor", "tenant", "user", "user_id", "hard"}
        for name, shape in schema["properties"].items():
            assert shape.get("description"), (tool.name, name)
            assert "null" not in str(shape), (tool.name, name)
        assert tool.output_schema is not None
        assert "text" in tool.output_schema["required"]
        assert tool.description is not None
        assert "Example: {" in tool.description
    by_name = {tool.name: tool.input_schema["properties"] for tool in tools}
    top_k = by_name["search_memory"]["top_k"]
    assert {k: top_k[k] for k in ("type", "minimum", "maximum", "default")} == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "default": 8,
    }
    assert by_name["list_conversations"]["q"]["description"] == (
        "Only those with this text in the title."
    )
    assert by_name["recent_turns"]["as"]["enum"] == ["turns", "pairs"]


async def test_of_all_texts_of_an_answer_only_the_framed_one_and_an_id_say_what_users_chose(
    folder: Path,
) -> None:
    """A new one has to be looked at: may it hold what somebody else has written?"""
    ours = {"kind", "next_cursor", "reason", "rid", "superseded", "ts", "updated", "uri"}
    async with in_process(folder) as (client, _):
        tools = (await client.list_tools()).tools
    schemas = [schema for tool in tools for schema in _objects(tool.output_schema)]
    texts = {
        name
        for schema in schemas
        for name, shape in schema.get("properties", {}).items()
        if "string" in {shape.get("type"), shape.get("items", {}).get("type")}
    }
    assert texts == ours | {"text", "conversation_id"}


def _objects(schema: dict[str, Any] | None) -> list[dict[str, Any]]:
    assert schema is not None
    return [schema, *schema.get("$defs", {}).values()]


async def test_questions_on_time_are_sent_to_recent_turns(folder: Path) -> None:
    """A model reads this in the instructions and in the descriptions of the three."""
    async with in_process(folder) as (client, _):
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("everturn", "1")
        assert client.instructions is not None
        line = next(line for line in client.instructions.splitlines() if "recent_turns" in line)
        assert all(word in line for word in ("recent", "lately", "this week", "yesterday"))
        for tool in (await client.list_tools()).tools:
            if tool.name in {"search_memory", "recall_conversation", "recent_turns"}:
                assert "this week" in (tool.description or "")


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("search_memory", {}, "query"),
        ("search_memory", {"query": "x", "top_k": 0}, "top_k"),
        ("search_memory", {"query": "x", "kinds": ["secret"]}, "kinds.0"),
        ("search_memory", {"query": "x", "min_score": 2}, "min_score"),
        ("search_memory", {"query": "x", "since": "yesterday"}, "since"),
        ("search_memory", {"query": "x", "as_of": "soon"}, "as_of"),
        ("add_memory", {"kind": "fact", "statement": "x", "hard": True}, "hard"),
        ("add_memory", {"kind": "fact", "statement": "x", "hard": None}, "hard"),
        ("add_memory", {"kind": "fact", "statement": "x", "actor": "bob"}, "actor"),
        ("add_memory", {"kind": "rule", "statement": "x"}, "kind"),
        ("add_memory", {"kind": "fact"}, "statement"),
        ("add_memory", {"kind": "fact", "statement": " "}, "statement"),
        ("add_memory", {"kind": "fact", "statement": "x", "importance": 11}, "importance"),
        ("add_memory", {"kind": "pattern", "spec": {"steps": "no list"}}, "spec.steps"),
        ("add_memory", {"kind": "fact", "statement": "x", "source": {"to": 1}},
         "source.conversation_id"),
        ("correct_memory", {"rid": _ABSENT}, "statement"),
        ("list_memories", {"limit": 0}, "limit"),
        ("list_memories", {"cursor": "none of ours"}, "cursor"),
        ("recall_conversation", {"query": "x", "conversation_id": " "}, "conversation_id"),
        ("recent_turns", {"as": "poems"}, "as"),
        ("get_context", {"query": "x", "budget_tokens": -1}, "budget_tokens"),
    ],
)  # fmt: skip
async def test_a_wrong_argument_is_one_line_that_names_it(
    folder: Path, tool: str, arguments: dict[str, Any], field: str
) -> None:
    async with in_process(folder) as (client, memory):
        line = await refused(client, tool, **arguments)
        assert "code=invalid_request" in line
        assert line.endswith(f"field={field}")
        assert (await memory.list_memories()).memories == ()


@pytest.mark.parametrize("rid", [_ABSENT, "no id at all", "everturn://memory/fact/" + _ABSENT])
@pytest.mark.parametrize("tool", ["forget_memory", "pin_memory", "correct_memory"])
async def test_an_unknown_memory_is_said_to_be_none(folder: Path, tool: str, rid: str) -> None:
    more = {"statement": "x"} if tool == "correct_memory" else {}
    async with in_process(folder) as (client, _):
        assert "code=not_found" in await refused(client, tool, rid=rid, **more)


async def test_an_unknown_conversation_is_said_to_be_none(folder: Path) -> None:
    async with in_process(folder) as (client, _):
        line = await refused(client, "recall_conversation", query="x", conversation_id="none")
        assert "code=not_found" in line


async def test_null_is_as_good_as_left_out(folder: Path) -> None:
    async with in_process(folder) as (client, _):
        await answered(client, "search_memory", query="x", top_k=None, kinds=None, since=None)


async def test_an_unknown_tool_is_an_error_of_the_protocol(folder: Path) -> None:
    async with in_process(folder) as (client, _):
        with pytest.raises(MCPError) as caught:
            await client.call_tool("erase_everything", {})
        assert caught.value.error.code == INVALID_PARAMS


async def test_two_users_of_one_store_see_nothing_of_each_other(tmp_path: Path) -> None:
    async with (
        in_process(tmp_path, actor="ann", tenant="t") as (hers, _),
        in_process(tmp_path, actor="bob", tenant="t") as (his, _),
    ):
        added = await answered(hers, "add_memory", kind="fact", statement="Ann owns a boat.")
        rid = added["memory"]["rid"]
        assert (await answered(his, "search_memory", query="boat"))["memories"] == []
        for tool in ("forget_memory", "pin_memory"):
            assert "code=not_found" in await refused(his, tool, rid=rid)
        assert (await answered(hers, "list_memories"))["memories"][0]["rid"] == rid


@pytest.mark.parametrize("best_effort", [False, True])
async def test_a_memory_that_cannot_be_reached_is_an_error_and_no_empty_answer(
    *, best_effort: bool
) -> None:
    """A model would take it for "nothing is known"."""

    def down(_request: httpx.Request) -> httpx.Response:
        error = {"code": "unavailable", "message": "later", "request_id": "r", "retryable": True}
        return httpx.Response(503, json={"error": error})

    async with (
        AsyncEverturn("http://localhost", transport=httpx.MockTransport(down),
                      best_effort=best_effort, clock=AsyncHandClock()) as memory,
        Client(memory_server(memory)) as client,
    ):  # fmt: skip
        for tool, arguments in (
            ("search_memory", {"query": "x"}),
            ("recent_turns", {}),
            ("forget_memory", {"rid": _ABSENT}),
        ):
            line = await refused(client, tool, **arguments)
            assert "code=unavailable" in line
            assert "retryable=true" in line
