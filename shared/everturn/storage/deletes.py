"""Delete many objects by key, or only those that did not change since they were listed.

Unconditional deletes go on until all objects are gone or time is over. A conditional delete takes
one request per object.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from everturn.errors import (
    GoneError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.ports.object_store import MAX_DELETED_KEYS, Entry, ObjectStore
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


_ERASERS: Final = 16
# Nearly always there are one or two, which are sooner gone than threads are begun.
_FEW: Final = 8


def erase_listed(
    *, store: ObjectStore, entries: Sequence[Entry], patience: Patience
) -> tuple[str, ...]:
    """Remove these objects unless they changed since; one that is gone already is fine.

    S3 wants permission to read them as well:
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html

    Returns:
        The keys of those that were written since they were listed, or are being written.

    Raises:
        UnavailableError: the time of `patience` is over, or the store does not answer; some objects
            may be left.
        AccessDeniedError: the store refuses one for good; some objects may be left.
    """
    erase = partial(_erase, store, patience)
    if len(entries) <= _FEW:
        gone = list(map(erase, entries))
    else:
        with ThreadPoolExecutor(_ERASERS) as executor:
            gone = list(executor.map(erase, entries))
    return tuple(entry.key for entry, is_gone in zip(entries, gone, strict=True) if not is_gone)


def _erase(store: ObjectStore, patience: Patience, entry: Entry) -> bool:
    waits = patience.beside()
    while True:
        waits.check(doing=_DOING)
        try:
            store.delete(entry.key, expect=entry.etag)
        except GoneError:
            return True
        except PreconditionFailedError:
            return False
        except (OutcomeUnknownError, UnavailableError) as error:
            waits.wait(doing=_DOING, cause=error)
        else:
            return True
