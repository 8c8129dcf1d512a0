"""An MCP server over an `AsyncEverturn`: tools, a prompt and resources of one user's memory.

A client may attach by itself the pinned block, as prompt or resource, and each memory.

https://modelcontextprotocol.io/specification
"""

import re
from typing import Any, Final, TypeAlias

from everturn.integrations.extras import extra

with extra("mcp"):
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError
    from mcp_types import (
        INVALID_PARAMS,
        CallToolRequestParams,
        CallToolResult,
        GetPromptRequestParams,
        GetPromptResult,
        ListPromptsResult,
        ListResourcesResult,
        ListResourceTemplatesResult,
        ListToolsResult,
        PaginatedRequestParams,
        Prompt,
        PromptArgument,
        PromptMessage,
        ReadResourceRequestParams,
        ReadResourceResult,
        Resource,
        ResourceTemplate,
        TextContent,
        TextResourceContents,
    )

from everturn.client import AsyncEverturn
from everturn.errors import EverturnError, InvalidRequestError, NotFoundError
from everturn.integrations.mcp.answers import failure_of, protocol_error, result_of
from everturn.integrations.mcp.texts import memory_text
from everturn.integrations.mcp.tools import INSTRUCTIONS, TOOLS

_Context: TypeAlias = ServerRequestContext[Any]
_Page: TypeAlias = PaginatedRequestParams | None


def memory_server(memory: AsyncEverturn, *, version: str = "") -> Server[Any]:
    """Return a server of the memory of the user whom the client acts for.

    It does not close the client. Calls may run at once. A call that fails is answered with a
    result that says so; the server goes on.

    Args:
        memory: made with the actor and tenant whose memory this is.
        version: what the server says of itself.
    """
    handlers = _Handlers(memory)
    return Server(
        "everturn",
        title="Everturn memory",
        version=version,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


class _Handlers:
    """What the server answers; the lists are short, and each is one page."""

    def __init__(self, memory: AsyncEverturn) -> None:
        self._memory = memory
        self._tools = {tool.name: tool for tool in TOOLS}

    async def list_tools(self, _context: _Context, _page: _Page) -> ListToolsResult:
        return ListToolsResult(tools=[tool.listed() for tool in TOOLS])

    async def call_tool(self, _context: _Context, asked: CallToolRequestParams) -> CallToolResult:
        tool = self._tools.get(asked.name)
        if tool is None:
            # https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
            raise MCPError(code=INVALID_PARAMS, message="there is no such tool")
        try:
            return result_of(await tool.call(self._memory, asked.arguments or {}))
        except EverturnError as error:
            return failure_of(error)

    async def list_prompts(self, _context: _Context, _page: _Page) -> ListPromptsResult:
        return ListPromptsResult(prompts=[PROMPT])

    async def get_prompt(
        self, _context: _Context, asked: GetPromptRequestParams
    ) -> GetPromptResult:
        try:
            return await pinned_prompt(self._memory, asked.name, asked.arguments or {})
        except EverturnError as exc:
            raise protocol_error(exc) from exc

    async def list_resources(self, _context: _Context, _page: _Page) -> ListResourcesResult:
        return ListResourcesResult(resources=[RESOURCE])

    async def list_templates(self, _context: _Context, _page: _Page) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read_resource(
        self, _context: _Context, asked: ReadResourceRequestParams
    ) -> ReadResourceResult:
        try:
            text = await resource_text(self._memory, asked.uri)
        except EverturnError as exc:
            raise protocol_error(exc, uri=asked.uri) from exc
        contents = TextResourceContents(uri=asked.uri, text=text, mime_type=TEXT)
        return ReadResourceResult(contents=[contents])


PINNED_URI: Final = "everturn://pinned"
TEXT: Final = "text/plain"
_NOTHING: Final = "Nothing is pinned yet."
_MEMORY = re.compile(r"everturn://memory/([a-z]+)/([0-9a-f]{32})", re.ASCII)

PROMPT: Final = Prompt(
    name="pinned",
    title="Pinned memory",
    description="What should stand before every task: who the agent is, rules, hard constraints, "
    "the user's profile, and the goal.",
    arguments=[
        PromptArgument(name="goal", description="What you are about to do.", required=False)
    ],
)
RESOURCE: Final = Resource(
    uri=PINNED_URI,
    name="pinned",
    title="Pinned memory",
    description="Rules, hard constraints and the user's profile, as one text.",
    mime_type=TEXT,
)
TEMPLATE: Final = ResourceTemplate(
    uri_template="everturn://memory/{kind}/{rid}",
    name="memory",
    title="One memory",
    description="A memory with its history, by the URI that every tool gives.",
    mime_type=TEXT,
)


async def pinned_prompt(
    memory: AsyncEverturn, name: str, arguments: dict[str, str]
) -> GetPromptResult:
    """Return the prompt of a name.

    Raises:
        NotFoundError: there is none.
        InvalidRequestError: there is no such argument.
        EverturnError: the request failed.
    """
    if name != PROMPT.name:
        raise NotFoundError(f"there is no such prompt known={PROMPT.name}")
    if unknown := sorted(arguments.keys() - {"goal"}):
        raise InvalidRequestError("there is no such argument", field=unknown[0])
    text = await _pinned(memory, arguments.get("goal", ""))
    message = PromptMessage(role="user", content=TextContent(text=text))
    return GetPromptResult(description=PROMPT.description, messages=[message])


async def resource_text(memory: AsyncEverturn, uri: str) -> str:
    """Return the text at a URI.

    Raises:
        NotFoundError: there is nothing.
        EverturnError: the request failed.
    """
    if uri == PINNED_URI:
        return await _pinned(memory, "")
    match = _MEMORY.fullmatch(uri)
    if match is None:
        raise NotFoundError("there is no such resource")
    found = (await memory.get_memory(match[2])).sure()
    if found.memory.kind != match[1]:
        raise NotFoundError("there is no such memory")
    return memory_text(found)


async def _pinned(memory: AsyncEverturn, goal: str) -> str:
    return (await memory.pinned(goal=goal)).sure().text or _NOTHING
