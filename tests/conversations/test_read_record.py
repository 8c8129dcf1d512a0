import pytest

from everturn.conversations.model.write_ring import WriteRing
from everturn.conversations.read_record import read_live_record, read_record
from everturn.errors import AccessDeniedError, CorruptRecordError, NotFoundError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, UnlistableStore
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World


def test_what_is_not_there_is_none(world: World) -> None:
    assert read_record(store=world.data, scope=SCOPE, conversation_id="unknown") is None


def test_a_record_comes_with_its_ring_its_etag_and_its_bytes(world: World) -> None:
    world.process().append("a")
    stored = world.stored()

    found = read_record(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)

    assert found is not None
    assert (found.body, found.etag, found.ring.meta) == (stored.body, stored.etag, stored.meta)
    assert (found.base.head, found.base.etag) == (world.record().head, stored.etag)
    assert found.base.head.encode() == stored.body


def test_a_file_without_metadata_has_an_empty_ring(world: World) -> None:
    world.place(b'{"conversation_id":"thread-1","turns":[]}')
    found = read_record(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)

    assert found is not None
    assert found.ring == WriteRing()


def test_a_tombstone_is_a_record_and_no_live_one(world: World) -> None:
    world.process().append("a")
    world.process().delete()

    found = read_record(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)

    assert found is not None
    assert found.record.head.deleted is not None
    with pytest.raises(NotFoundError):
        read_live_record(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)


@pytest.mark.parametrize("inside", ["thread-2", "", "\\ud800", "THREAD-1", "thread-1 "])
def test_an_id_inside_that_differs_from_the_id_asked_is_refused(world: World, inside: str) -> None:
    world.place(f'{{"conversation_id":"{inside}","turns":[]}}'.encode())

    with pytest.raises(CorruptRecordError, match="conversation=thread-1"):
        read_record(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)


def test_an_id_inside_may_have_another_unicode_form(world: World) -> None:
    """A foreign program need not normalise; ids are compared under NFC."""
    world.place('{"conversation_id":"cafe\u0301","turns":[]}'.encode(), "caf\u00e9")

    assert read_record(store=world.data, scope=SCOPE, conversation_id="caf\u00e9") is not None


def test_failures_of_the_store_are_no_absence(world: World) -> None:
    world.process().append("a")
    failing = FaultyStore(world.data, lambda _: Fault.UNAVAILABLE)
    with pytest.raises(UnavailableError):
        read_record(store=failing, scope=SCOPE, conversation_id=CONVERSATION)
    denied = UnlistableStore(world.data, readable=False)
    with pytest.raises(AccessDeniedError):
        read_record(store=denied, scope=SCOPE, conversation_id=CONVERSATION)
