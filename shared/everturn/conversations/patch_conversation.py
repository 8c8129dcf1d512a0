"""Change what a conversation is called and where it is filed; turns are not touched."""

from dataclasses import replace

from everturn.conversations.head_cache import Base, HeadCache
from everturn.conversations.model.head import Record
from everturn.conversations.model.patch import Patch
from everturn.conversations.model.summary import Summary, summarize
from everturn.conversations.read_record import read_live_record
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.swap import RETRIED, Patience
from everturn.values.keys import Scope, head_key, valid_id


def patch_conversation(
    *,
    store: ObjectStore,
    heads: HeadCache,
    clock: Clock,
    entropy: Entropy,
    scope: Scope,
    conversation_id: str,
    patch: Patch,
) -> Summary:
    """Apply a patch beside any number of appends; what changes nothing writes nothing.

    `updated` moves on by one nanosecond: the bytes differ, the order of lists does not.

    Raises:
        InvalidRequestError: the id or the metadata is wrong.
        NotFoundError: it is unknown or was deleted.
        CorruptRecordError: its file cannot be read.
        UnavailableError: no clear answer within ten seconds; send the patch again.
    """
    conversation_id = valid_id(conversation_id, field="conversation_id")
    key = head_key(scope, conversation_id)
    patience = Patience(clock=clock, entropy=entropy)
    while True:
        try:
            found = read_live_record(store=store, scope=scope, conversation_id=conversation_id)
            head = patch.applied_to(found.record.head)
            # Bytes, since Python takes 1, 1.0 and True for equal.
            if head.encode() == found.record.head.encode():
                return summarize(found.record)
            head = replace(head, updated_ns=found.base.head.updated_ns + 1)
            patience.check(doing="patch")
            etag = store.put(key, head.encode(), expect=found.etag, meta=found.ring.meta)
        except RETRIED as error:
            patience.wait(doing="patch", cause=error)
        else:
            heads.keep(key, Base(head, found.ring, etag))
            return summarize(Record(head, found.record.values))
