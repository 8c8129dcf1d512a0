"""Environment variables for handlers: what is laid over the process's own, and for how long.

Not here: what they mean (everturn.settings).
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from everturn.local.invocation import SERVICE_ROLE

Overlay = Mapping[str, str | None]
"""Environment variables to set, and with None to take away."""

_LOCAL_SETTINGS = {
    "EVERTURN_SERVICE_ROLES": SERVICE_ROLE,
    "POWERTOOLS_SERVICE_NAME": "everturn",
    "POWERTOOLS_METRICS_NAMESPACE": "Everturn",
}


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
