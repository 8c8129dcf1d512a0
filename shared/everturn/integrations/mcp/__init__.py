"""Memory as tools for MCP clients; needs the extra `mcp`."""

from typing import TYPE_CHECKING

from everturn.integrations.extras import lazy_names

if TYPE_CHECKING:
    from everturn.integrations.mcp.server import memory_server
else:
    # A type checker reads the imports above, and knows a wrong name.
    __getattr__, __dir__ = lazy_names(__name__, {"memory_server": "server"})

__all__ = ["memory_server"]
