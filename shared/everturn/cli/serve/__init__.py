"""Serves memory to MCP clients."""
