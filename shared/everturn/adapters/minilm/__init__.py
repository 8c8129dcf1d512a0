"""A small sentence-embedding model that runs in the process, on numpy alone."""
