"""Environment variables for handlers: what is laid over the process's own, and for how long."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from everturn.local.invocation import SERVICE_ROLE
from everturn.settings.process import parse_address

Overlay = Mapping[str, str | None]
"""Environment variables to set, and with None to take away."""

_LOCAL_SETTINGS = {
    "EVERTURN_SERVICE_ROLES": SERVICE_ROLE,
    "POWERTOOLS_SERVICE_NAME": "everturn",
    "POWERTOOLS_METRICS_NAMESPACE": "Everturn",
}

_QUEUES: Final = ("EVERTURN_QUEUE_URL", "EVERTURN_DEAD_LETTERS_URL")


def overlay_of(address: str) -> tuple[Overlay, Path | None]:
    """Return the settings of a store that is named outright, and where its handlers log.

    Who names a store means all of it, derived data included, whatever the environment says. A
    directory has its own queue: jobs of its conversations are none of another store's workers.

    Args:
        address: a directory, or s3://bucket/prefix.

    Raises:
        MisconfiguredError: it is neither.
    """
    directory = parse_address(address).directory
    if directory is None:
        return {"EVERTURN_STORE": address, "EVERTURN_DERIVED_STORE": None}, None
    whole = directory.absolute()
    settings: dict[str, str | None] = {
        "EVERTURN_STORE": str(whole),
        "EVERTURN_DERIVED_STORE": None,
    }
    return settings | dict.fromkeys(_QUEUES), log_of(whole)


def log_of(directory: Path) -> Path:
    """Return where handlers log whose store is a directory: beside their data."""
    return directory / ".everturn" / "logs" / "everturn.log"


def environment_of(settings: Overlay) -> dict[str, str]:
    """Return the whole environment that handlers see while they load."""
    merged = {**os.environ, **_LOCAL_SETTINGS, **settings}
    return {name: value for name, value in merged.items() if value is not None}


@contextmanager
def handler_environment(settings: Overlay) -> Iterator[None]:
    """Put settings over the process's environment, and its own values back afterwards."""
    overlay: Overlay = {**_LOCAL_SETTINGS, **settings}
    before = {name: os.environ.get(name) for name in overlay}
    set_environment(overlay)
    try:
        yield
    finally:
        set_environment(before)


def set_environment(overlay: Overlay) -> None:
    """Set variables of this process for good, or take them away."""
    for name, value in overlay.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
