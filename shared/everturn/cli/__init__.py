"""The `everturn` command."""
