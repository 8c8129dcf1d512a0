"""Memory tools of both kinds, for one contract: the package's own on a folder, and ours."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from everturn.client import AsyncEverturn, Everturn
from everturn.integrations.anthropic.memory_tool import AsyncEverturnMemoryTool, EverturnMemoryTool

KINDS = ("theirs", "ours", "ours async")

Ask = Callable[..., str]
"""Carries out a command, and gives what the model is told: after `error: ` where it failed."""


@contextmanager
def tool_of(kind: str, folder: Path) -> Iterator[Ask]:
    """Open an empty memory."""
    if kind == "theirs":
        yield asking(BetaLocalFilesystemMemoryTool(str(folder / "files")).call)
    elif kind == "ours":
        with Everturn.local(folder / "memory") as client:
            yield asking(EverturnMemoryTool(client).call)
    else:
        with asyncio.Runner() as runner:
            memory = AsyncEverturn.local(folder / "memory")
            tool = AsyncEverturnMemoryTool(memory)
            yield asking(lambda asked: runner.run(tool.call(asked)))
            runner.run(memory.aclose())


def asking(call: Callable[[object], object]) -> Ask:
    """Return what asks a tool as the tool runner does."""

    def ask(command: str, path: str = "", **more: Any) -> str:  # noqa: ANN401 - any JSON
        try:
            return str(call({"command": command, "path": path, **more}))
        except ToolError as error:
            return f"error: {error.content}"

    return ask
