"""Report at the start of `everturn mcp` that the memory cannot be reached, while it serves."""

from everturn.cli.output.console import note
from everturn.client import AsyncEverturn
from everturn.errors import EverturnError
from everturn.integrations.mcp.answers import line_of


async def say_trouble(memory: AsyncEverturn) -> None:
    """Read once what every tool needs, and write a line to stderr where that fails.

    It goes on all the same: a server may be there later, and each call says what is wrong.
    """
    try:
        (await memory.list_conversations(limit=1)).sure()
    except EverturnError as error:
        note(f"trouble, everturn doctor says more: {line_of(error)}")
