"""The prompt and the resources through a real MCP client."""

from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, TextContent, TextResourceContents

from integrations.mcp.mcp_sessions import HARM, in_process

pytestmark = pytest.mark.anyio

ERAS = ["legacy", "2026-07-28"]


async def _read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "text/plain")
    return content.text


@pytest.mark.parametrize("era", ERAS)
async def test_the_pinned_block_is_a_prompt_with_a_goal_and_a_resource(
    tmp_path: Path, era: str
) -> None:
    async with in_process(tmp_path, mode=era) as (client, memory):
        assert await _read(client, "everturn://pinned") == "Nothing is pinned yet."
        await memory.remember("preference", "Likes short answers.", subject="user")
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "pinned"
        shown = await client.get_prompt("pinned", {"goal": "write less"})
        (message,) = shown.messages
        assert isinstance(message.content, TextContent)
        assert message.content.text == (await memory.pinned(goal="write less")).text
        assert "Likes short answers." in message.content.text
        assert await _read(client, "everturn://pinned") == (await memory.pinned()).text


@pytest.mark.parametrize("era", ERAS)
async def test_a_memory_is_read_by_its_uri_with_what_held_before(tmp_path: Path, era: str) -> None:
    async with in_process(tmp_path, mode=era) as (client, memory):
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "everturn://memory/{kind}/{rid}"
        old = (await memory.remember("fact", f"Port 8080. {HARM}")).memory
        assert old is not None
        new = (await memory.correct_memory(old.id, statement="Port 9090.")).memory
        text = await _read(client, new.uri)
        assert text.startswith("<recalled_memory>")
        assert text.count("</recalled_memory>") == 1
        assert text.index("Port 9090.") < text.index("before") < text.index("Port 8080.")


@pytest.mark.parametrize(
    "uri",
    [
        "everturn://memory/fact/" + "0" * 32,
        "everturn://memory/fact/../../x",
        "everturn://turn/c/0",
        "file:///etc/passwd",
    ],
)
async def test_what_is_no_resource_is_said_to_be_none(tmp_path: Path, uri: str) -> None:
    async with in_process(tmp_path) as (client, _):
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        assert caught.value.error.code == INVALID_PARAMS
        assert "code=not_found" in caught.value.error.message


async def test_a_memory_is_not_found_under_another_kind(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):
        known = (await memory.remember("fact", "Port 8080.")).memory
        assert known is not None
        with pytest.raises(MCPError, match="there is no such memory"):
            await client.read_resource(known.uri.replace("fact", "goal"))


@pytest.mark.parametrize(
    ("name", "arguments"), [("secrets", {}), ("pinned", {"goal": "x", "actor": "bob"})]
)
async def test_an_unknown_prompt_or_argument_is_refused(
    tmp_path: Path, name: str, arguments: dict[str, str]
) -> None:
    async with in_process(tmp_path) as (client, _):
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)
        assert caught.value.error.code == INVALID_PARAMS
