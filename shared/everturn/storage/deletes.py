"""Erase any number of objects, whatever is there, until all are gone or time is over."""

from collections.abc import Sequence
from typing import Final

from everturn.errors import OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import MAX_DELETED_KEYS, ObjectStore
from everturn.storage.swap import Patience

_DOING: Final = "erase"


def erase_objects(*, store: ObjectStore, keys: Sequence[str], patience: Patience) -> None:
    """Remove these objects, one request per 1,000; what the store leaves is asked for again.

    Nothing is known to be left when it returns. Stopped half-way, it can be done again.

    Raises:
        UnavailableError: the time of `patience` is over, or the store removed nothing six times in
            a row; some objects may be left.
        AccessDeniedError: the store refuses one for good; some objects may be left.
    """
    for first in range(0, len(keys), MAX_DELETED_KEYS):
        left = keys[first : first + MAX_DELETED_KEYS]
        while left:
            patience.check(doing=_DOING)
            left = _left_of(store, left, patience)


def _left_of(store: ObjectStore, keys: Sequence[str], patience: Patience) -> Sequence[str]:
    try:
        left = store.delete_many(keys)
    except (OutcomeUnknownError, UnavailableError) as error:
        patience.wait(doing=_DOING, cause=error)
        return keys
    if left:
        # A store that removes some is slow and no lost case, as one that removes none is.
        cause = UnavailableError if len(left) == len(keys) else OutcomeUnknownError
        patience.wait(doing=_DOING, cause=cause(f"objects were not removed keys={len(left)}"))
    return left
