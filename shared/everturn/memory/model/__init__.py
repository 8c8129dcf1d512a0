"""A memory as stored: statement, sources, history, identity. Pure."""
