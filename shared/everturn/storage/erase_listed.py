"""Erase objects as they were listed: one that was written since stays.

One request for each is the price of a condition.
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
from everturn.ports.object_store import Entry, ObjectStore
from everturn.storage.swap import Patience

_DOING: Final = "erase"
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
