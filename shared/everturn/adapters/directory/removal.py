"""How objects leave a directory: one durably, many whatever becomes of each, and leftovers."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from filelock import FileLock

from everturn.adapters.directory.errors import OsErrors
from everturn.adapters.directory.files import drop_sidecars, raise_floor, state_of, sync_folder
from everturn.adapters.directory.layout import Place
from everturn.errors import AccessDeniedError, OutcomeUnknownError, UnavailableError


def remove_file(place: Place, found: os.stat_result, errors: OsErrors) -> None:
    """Remove the file and its metadata for good; no later version has its time again."""
    deleted = state_of(place.floor)
    newest = max(found.st_mtime_ns, deleted.st_mtime_ns if deleted else 0)
    raise_floor(place.floor, newest)
    place.body.unlink()
    errors.committed = True
    sync_folder(place.body.parent)
    drop_sidecars(place.sidecars, keep=None)


def remove_leftovers(temporaries: Iterable[tuple[Path, Path]]) -> None:
    """Remove what writers that died left, whole bodies perhaps; waits for nobody, fails nobody.

    Args:
        temporaries: each such file and its lock, which a writer holds as long as he lives.
    """
    for temporary, lock in temporaries:
        try:
            with FileLock(str(lock), blocking=False):
                temporary.unlink(missing_ok=True)
        except OSError:
            # Its writer lives, or the system does not let go of it now: the next removal tries
            # again, and this one is of another object.
            continue


def remove_each(keys: Iterable[str], delete: Callable[[str], None]) -> tuple[str, ...]:
    """Call `delete` for every key; return those that may go later.

    Raises:
        AccessDeniedError: at least one is refused for good; told when all the others were tried.
    """
    left: list[str] = []
    refused: AccessDeniedError | None = None
    for key in keys:
        try:
            delete(key)
        except (UnavailableError, OutcomeUnknownError):
            left.append(key)
        except AccessDeniedError as error:
            refused = error
    if refused:
        raise refused
    return tuple(left)
