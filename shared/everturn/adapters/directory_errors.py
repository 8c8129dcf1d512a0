"""What an error of the operating system means to the directory store: one table.

Not here: absence. A missing file is an answer, which the callers tell from a failure themselves.
"""

import errno
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import Final, Self

from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    OutcomeUnknownError,
    UnavailableError,
)

# Before the rename nothing is visible, so whatever is not final may be sent again. A full disk is
# not final: somebody can make room, and the object that was there is untouched.
# https://man7.org/linux/man-pages/man3/errno.3.html
ANSWERS: Final[Mapping[int, type[EverturnError]]] = MappingProxyType(
    {
        errno.EACCES: AccessDeniedError,
        errno.EPERM: AccessDeniedError,
        errno.EROFS: AccessDeniedError,
        errno.ENAMETOOLONG: AccessDeniedError,
        errno.EFBIG: AccessDeniedError,
        errno.EINVAL: AccessDeniedError,
        errno.EILSEQ: AccessDeniedError,
        errno.EISDIR: AccessDeniedError,
        errno.ENOTDIR: AccessDeniedError,
        errno.EEXIST: AccessDeniedError,
        errno.ELOOP: AccessDeniedError,
        errno.EXDEV: AccessDeniedError,
        errno.EOPNOTSUPP: AccessDeniedError,
        errno.ENOSPC: UnavailableError,
        errno.EDQUOT: UnavailableError,
        errno.EIO: UnavailableError,
        errno.EMFILE: UnavailableError,
        errno.ENFILE: UnavailableError,
        errno.ENOMEM: UnavailableError,
        errno.ESTALE: UnavailableError,
    }
)


def store_error(exc: OSError, *, committed: bool) -> EverturnError:
    """Return what to raise; `committed` says that the object had already changed its name.

    An errno outside the table, or none (a lock that was not had in time), is `UnavailableError`.
    """
    name = errno.errorcode.get(exc.errno or 0, type(exc).__name__)
    if committed:
        return OutcomeUnknownError(f"the directory failed after the write error={name}")
    answer = ANSWERS.get(exc.errno or 0, UnavailableError)
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
