"""Anthropic's memory tool on Everturn; needs the extra `anthropic`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.anthropic.memory_tool import (
        AsyncEverturnMemoryTool,
        EverturnMemoryTool,
    )
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(
        __name__, {"AsyncEverturnMemoryTool": "memory_tool", "EverturnMemoryTool": "memory_tool"}
    )

__all__ = ["AsyncEverturnMemoryTool", "EverturnMemoryTool"]
