"""How objects leave a directory: one durably, or many whatever becomes of each.

Not here: locks and preconditions, which the store keeps.
"""

import os
from collections.abc import Callable, Iterable

from everturn.adapters.directory_errors import OsErrors
from everturn.adapters.directory_files import drop_sidecars, raise_floor, state_of, sync_folder
from everturn.adapters.directory_layout import Place
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
