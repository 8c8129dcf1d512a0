"""An MCP server over an `AsyncEverturn`: tools, a prompt and resources of one user's memory.

https://modelcontextprotocol.io/specification
"""

from typing import Any, TypeAlias

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
        ReadResourceRequestParams,
        ReadResourceResult,
        TextResourceContents,
    )

from everturn.client import AsyncEverturn
from everturn.errors import EverturnError
from everturn.integrations.mcp import pinned
from everturn.integrations.mcp.results import failure_of, protocol_error, result_of
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
        return ListPromptsResult(prompts=[pinned.PROMPT])

    async def get_prompt(
        self, _context: _Context, asked: GetPromptRequestParams
    ) -> GetPromptResult:
        try:
            return await pinned.pinned_prompt(self._memory, asked.name, asked.arguments or {})
        except EverturnError as exc:
            raise protocol_error(exc) from exc

    async def list_resources(self, _context: _Context, _page: _Page) -> ListResourcesResult:
        return ListResourcesResult(resources=[pinned.RESOURCE])

    async def list_templates(self, _context: _Context, _page: _Page) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=[pinned.TEMPLATE])

    async def read_resource(
        self, _context: _Context, asked: ReadResourceRequestParams
    ) -> ReadResourceResult:
        try:
            text = await pinned.resource_text(self._memory, asked.uri)
        except EverturnError as exc:
            raise protocol_error(exc, uri=asked.uri) from exc
        contents = TextResourceContents(uri=asked.uri, text=text, mime_type=pinned.TEXT)
        return ReadResourceResult(contents=[contents])
