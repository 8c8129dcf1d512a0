"""The answer table of the operating system."""

import errno

import pytest
from filelock import Timeout

from everturn.adapters.directory.errors import PASSING, OsErrors, store_error
from everturn.errors import (
    AccessDeniedError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_errno_has_an_answer_and_is_named_in_it(number: int) -> None:
    error = store_error(OSError(number, "text of the system"), committed=False)
    passing = number in PASSING or number == errno.ETIMEDOUT
    assert type(error) is (UnavailableError if passing else AccessDeniedError)
    assert errno.errorcode[number] in error.message


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_after_the_rename_every_errno_leaves_the_outcome_unknown(number: int) -> None:
    assert type(store_error(OSError(number, ""), committed=True)) is OutcomeUnknownError


@pytest.mark.parametrize(
    ("exc", "expected"),
    [
        (PermissionError(errno.EACCES, "x"), AccessDeniedError),
        (OSError(errno.EROFS, "x"), AccessDeniedError),
        (OSError(errno.ENAMETOOLONG, "x"), AccessDeniedError),
        (FileNotFoundError(errno.ENOENT, "x"), AccessDeniedError),
        (OSError(errno.ELOOP, "x"), AccessDeniedError),
        (OSError(errno.ENOSYS, "x"), AccessDeniedError),
        (OSError(99_999, "a number of no name"), AccessDeniedError),
        (OSError("no number"), AccessDeniedError),
        (OSError(errno.ENOSPC, "x"), UnavailableError),
        (OSError(errno.EDQUOT, "x"), UnavailableError),
        (OSError(errno.EIO, "x"), UnavailableError),
        (OSError(errno.EMFILE, "x"), UnavailableError),
        (OSError(errno.ENFILE, "x"), UnavailableError),
        (OSError(errno.ENOMEM, "x"), UnavailableError),
        (OSError(errno.ESTALE, "x"), UnavailableError),
        (OSError(errno.EAGAIN, "x"), UnavailableError),
        (Timeout("a/lock"), UnavailableError),
    ],
)
def test_what_mends_itself_is_told_from_what_does_not(
    exc: OSError, expected: type[Exception]
) -> None:
    assert type(store_error(exc, committed=False)) is expected


def test_no_path_shows_in_a_message() -> None:
    """A path holds ids."""
    exc = PermissionError(errno.EACCES, "denied", "/somebody/private.json")
    assert "private" not in store_error(exc, committed=False).message


def test_our_own_errors_pass_and_the_cause_is_kept() -> None:
    cause = OSError(errno.EIO, "x")
    with pytest.raises(UnavailableError) as caught, OsErrors():
        raise cause
    assert caught.value.__cause__ is cause
    with pytest.raises(PreconditionFailedError), OsErrors():
        raise PreconditionFailedError("x")
