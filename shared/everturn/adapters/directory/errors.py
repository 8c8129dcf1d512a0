"""Map errors of the operating system to Everturn's errors, for the store and for the queue.

A missing file is an answer, not a failure: the callers tell the two apart themselves.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    MisconfiguredError,
    OutcomeUnknownError,
    UnavailableError,
)

# What passes without a change of the store, of its permissions or of the request. A full disk does:
# somebody can make room, and before the rename the object that was there is untouched.
# https://man7.org/linux/man-pages/man3/errno.3.html
PASSING: Final = frozenset(
    {
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOLCK,
        errno.EAGAIN,
        errno.EBUSY,
        errno.ESTALE,
    }
)


def is_passing(exc: OSError) -> bool:
    """Say whether the same call may succeed later; a lock not had in time has no errno."""
    return isinstance(exc, TimeoutError) or exc.errno in PASSING


def store_error(exc: OSError, *, committed: bool) -> EverturnError:
    """Return what to raise; `committed` says that the object had already changed its name.

    An errno outside the table is `AccessDeniedError`: waiting does not mend it.
    """
    name = errno.errorcode.get(exc.errno or 0, type(exc).__name__)
    if committed:
        return OutcomeUnknownError(f"the directory failed after the write error={name}")
    answer = UnavailableError if is_passing(exc) else AccessDeniedError
    return answer(f"the directory refused error={name}")


class OsErrors:
    """A block whose `OSError` leaves it as an error of ours; set `committed` after the rename."""

    def __init__(self) -> None:
        """Begin with nothing committed."""
        self.committed = False

    def __enter__(self) -> Self:
        """Enter the block."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Translate what left the block."""
        if isinstance(exc, OSError):
            raise store_error(exc, committed=self.committed) from exc


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
