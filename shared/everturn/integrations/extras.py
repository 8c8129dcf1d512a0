"""What a user is told who imports an integration without its framework: the extra to install."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say which extra of everturn has the packages that are imported within.

    Raises:
        ModuleNotFoundError: one is not there, or too old to have what is imported.
    """
    try:
        yield
    except ImportError as exc:
        told = f"packages are missing or too old, install everturn[{name}] missing={exc.name}"
        raise ModuleNotFoundError(told, name=exc.name) from exc
