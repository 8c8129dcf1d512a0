import pytest

from everturn.errors import (
    ConflictError,
    CorruptRecordError,
    InvalidRequestError,
    UnavailableError,
)
from everturn.ports.object_store import ObjectStore
from everturn.transfer.import_memory import ImportOutcome, import_record
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from scenarios.process import CONVERSATION, SCOPE
from scenarios.world import World

BODY = (
    b'{"conversation_id":"thread-1","turns":[ {"role":"user","text":"a"},{"x":1}],'
    b'"updated":"2025-01-01T00:00:00Z","other":[1]}\n'
)


def _import(store: ObjectStore, body: bytes = BODY) -> ImportOutcome:
    return import_record(store=store, scope=SCOPE, body=body, name="a.json")


def test_a_file_is_stored_byte_for_byte(world: World) -> None:
    assert _import(world.data) == ImportOutcome(CONVERSATION, 2, "imported")
    assert world.stored().body == BODY
    assert [row.turn_count for row in world.process().list_page().rows] == [2]


def test_the_same_file_twice_is_stored_once(world: World) -> None:
    _import(world.data)
    before = world.stored()

    assert _import(world.data) == ImportOutcome(CONVERSATION, 2, "already there")
    assert world.stored() == before


def test_a_file_whose_conversation_went_on_is_already_there(world: World) -> None:
    _import(world.data)
    world.process().append("more")
    before = world.stored()

    assert _import(world.data).status == "already there"
    assert world.stored() == before


@pytest.mark.parametrize(
    "other",
    [
        BODY.replace(b'"a"', b'"b"'),
        BODY.replace(b'{"x":1}', b'{"x":1},{"role":"user","text":"longer"}'),
    ],
)
def test_another_conversation_of_the_same_id_is_a_conflict(world: World, other: bytes) -> None:
    _import(world.data)
    before = world.stored()

    with pytest.raises(ConflictError, match="conversation=thread-1"):
        _import(world.data, other)

    assert world.stored() == before


@pytest.mark.parametrize(
    "body", [BODY, b'{"conversation_id":"thread-1","turns":[],"updated":"2025-01-01T00:00:00Z"}']
)
def test_a_deleted_conversation_does_not_come_back_by_import(world: World, body: bytes) -> None:
    world.process().append("a")
    world.process().delete()
    tombstone = world.stored()

    with pytest.raises(ConflictError):
        _import(world.data, body)

    assert world.stored() == tombstone


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"turns":[]}'])
def test_what_is_no_conversation_file_is_named_and_not_stored(world: World, body: bytes) -> None:
    with pytest.raises(CorruptRecordError, match=r"conversation=a\.json"):
        _import(world.data, body)

    assert world.data.list("").entries == ()


@pytest.mark.parametrize("wrong", [b"", b" ", b"a\\u0000b"])
def test_a_file_with_a_wrong_id_is_refused(world: World, wrong: bytes) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        _import(world.data, BODY.replace(b"thread-1", wrong))

    assert caught.value.field == "conversation_id"
    assert world.data.list("").entries == ()


def test_an_import_whose_answer_was_lost_is_there(world: World) -> None:
    script: Script = {("put", 1): Fault.LOST_RESPONSE}

    assert _import(FaultyStore(world.data, scripted(script))).turn_count == 2
    assert world.stored().body == BODY


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.REFUSED])
def test_an_import_that_was_not_written_says_so(world: World, fault: Fault) -> None:
    """Not that another conversation is there."""
    store = FaultyStore(world.data, scripted({("put", 1): fault}))

    with pytest.raises(UnavailableError):
        _import(store)

    assert _import(store).status == "imported"


def test_an_imported_conversation_is_appended_to(world: World) -> None:
    _import(world.data)

    assert world.process().append("more", key="k").first_turn == 2
    assert world.process().append("more", key="k").replayed
