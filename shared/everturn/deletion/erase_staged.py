"""Remove what is staged of a conversation when a turn of it is taken back: it may quote the turn.

A worker that staged meanwhile takes it away itself: what it staged is of other turns than there are
now.
"""

from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import ObjectStore
from everturn.storage.erase_listed import erase_listed
from everturn.storage.list_keys import list_all
from everturn.storage.swap import Patience
from everturn.values.keys import Scope, staged_prefix


def erase_staged(
    *, store: ObjectStore, patience: Patience, scope: Scope, conversation_id: str
) -> bool:
    """Remove all staged extractions of a conversation; whether all are gone for certain.

    One request that lists, and one for each that is there: hardly ever any is.
    """
    try:
        entries = list(list_all(store, staged_prefix(scope, conversation_id)))
        return not erase_listed(store=store, entries=entries, patience=patience)
    except (StoreError, UnavailableError):
        return False
