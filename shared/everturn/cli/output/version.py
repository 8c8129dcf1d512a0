"""Which version of what is installed."""

import importlib.metadata


def version(distribution: str = "everturn") -> str | None:
    """Return the version of an installed distribution, or None where it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
