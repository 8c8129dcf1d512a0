"""Let a watermark say that a turn was not read which is taken back.

What takes the place of the turn is new, and so it is when it says the same: whoever counts alone
would take it for read.
"""

from everturn.conversations.read_watermark import read_watermark
from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import ABSENT, ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, watermark_key


def lower_watermark(
    *, store: ObjectStore, patience: Patience, scope: Scope, conversation_id: str, turns: int
) -> bool:
    """Lower the watermark of a conversation to so many turns; whether it is so for certain.

    One request, and a write where it is above.
    """
    while True:
        try:
            _lower(store, scope, conversation_id, turns)
        except RETRIED as error:
            try:
                patience.wait(doing="pop", cause=error)
            except UnavailableError:
                return False
        except StoreError:
            return False
        else:
            return True


def _lower(store: ObjectStore, scope: Scope, conversation_id: str, turns: int) -> None:
    key = watermark_key(scope, conversation_id)
    known = read_watermark(store=store, key=key, conversation_id=conversation_id)
    lowered = known.mark.lowered(turns)
    if lowered != known.mark:
        store.put(key, lowered.encode(), expect=known.etag or ABSENT)
