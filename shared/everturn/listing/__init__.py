"""Lists of conversations and recent turns, from a cache of rows."""
