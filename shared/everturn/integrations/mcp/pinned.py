"""What a client may attach by itself: the pinned block as prompt and resource, and each memory."""

import re
from typing import Final

from mcp_types import (
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
)

from everturn.client import AsyncEverturn
from everturn.errors import InvalidRequestError, NotFoundError
from everturn.integrations.mcp.texts import memory_text

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
