"""What an error of the operating system means to the queue in a folder."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from everturn.adapters.directory.errors import is_passing
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError


def queue_error(exc: OSError) -> EverturnError:
    """Return what to raise; the message names no path, which holds names of the user."""
    name = errno.errorcode.get(exc.errno or 0, type(exc).__name__)
    answer = UnavailableError if is_passing(exc) else MisconfiguredError
    return answer(f"the folder of the queue refused error={name}")


@contextmanager
def translated() -> Iterator[None]:
    """Raise one of our errors for an `OSError` in the block."""
    try:
        yield
    except OSError as exc:
        raise queue_error(exc) from exc
