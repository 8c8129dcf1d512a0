import pytest

from everturn.errors import ConversationGoneError, InvalidRequestError, UnavailableError
from everturn.values.go_json import JsonObject
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION
from scenarios.world import World


def test_a_created_conversation_is_empty_and_has_what_was_asked_for(world: World) -> None:
    made = world.process().create(title="Trip", folder="home", metadata={"k": [1]})

    head = world.record().head
    assert made.created
    assert (made.summary.title, made.summary.turn_count) == ("Trip", 0)
    assert (head.title, head.folder, head.metadata) == ("Trip", "home", {"k": [1]})
    assert head.updated_ns == made.summary.updated_ns == world.clock.now_ns()


def test_an_id_is_made_where_none_is_given(world: World) -> None:
    process = world.process()
    ids = {process.create(None).summary.conversation_id for _ in range(3)}

    assert len(ids) == 3
    assert all(world.record(name).head.conversation_id == name for name in ids)


def test_a_conversation_that_exists_is_left_as_it_is(world: World) -> None:
    world.process().append("a")
    before = world.stored()

    made = world.process().create(title="another title")

    assert not made.created
    assert (made.summary.title, made.summary.turn_count) == ("a", 1)
    assert world.stored() == before


def test_two_creates_at_once_both_succeed_and_one_created_it(world: World) -> None:
    """Even at the same nanosecond and with equal fields."""
    other, answers = world.process(), list[bool]()
    store = InterleavedStore(
        world.data, before={("put", 1): lambda: answers.append(other.create(title="t").created)}
    )

    answers.append(world.process(store).create(title="t").created)

    assert answers == [True, False]


def test_a_first_append_and_a_create_at_once_both_succeed(world: World) -> None:
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): lambda: other.append("a")})

    assert not world.process(store).create(title="t").created
    assert world.texts() == ["a"]


def test_a_create_before_the_first_append_keeps_its_title(world: World) -> None:
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): lambda: other.create(title="t")})

    world.process(store).append("a")

    assert (world.record().head.title, world.texts()) == ("t", ["a"])


@pytest.mark.parametrize("fault", [one for one in Fault if one is not Fault.UNAVAILABLE])
@pytest.mark.parametrize("delay", range(1, 5))
def test_a_create_without_a_clear_answer_is_done_once(
    world: World, fault: Fault, delay: int
) -> None:
    script: Script = {("put", 1): fault}
    store = FaultyStore(world.data, scripted(script), delay=delay)

    made = world.process(store).create(title="t")
    store.land_all()

    assert made.created
    assert world.record().head.title == "t"
    assert world.record().head.updated_ns == made.summary.updated_ns


def test_a_create_that_others_appended_to_before_its_read_back_is_still_ours(world: World) -> None:
    other = world.process()
    between = InterleavedStore(world.data, after={("put", 1): lambda: other.append("a")})
    store = FaultyStore(between, scripted({("put", 1): Fault.LOST_RESPONSE}))

    made = world.process(store).create(title="t")

    assert made.created
    assert made.summary.turn_count == 1


def test_a_create_gives_up_after_ten_seconds_of_failures(world: World) -> None:
    store = FaultyStore(world.data, lambda verb: Fault.REFUSED if verb == "put" else None)
    started = world.clock.monotonic_s()

    with pytest.raises(UnavailableError, match="doing=create"):
        world.process(store).create()

    assert 10 <= world.clock.monotonic_s() - started <= 11
    assert len(store.failed) < 120


def test_a_deleted_id_can_be_created_again_and_is_empty(world: World) -> None:
    process = world.process()
    process.append("secret", key="k")
    deleted = process.delete()
    tombstone_ns = world.record().head.updated_ns

    made = world.process().create(title="new")

    assert deleted.turns == 1
    assert made.created
    assert (made.summary.title, world.texts()) == ("new", [])
    assert made.summary.updated_ns > tombstone_ns
    assert b"secret" not in world.stored().body
    assert world.process().append("a").first_turn == 0


def test_a_create_over_a_tombstone_is_newer_though_the_clock_stepped_back(world: World) -> None:
    world.process().append("a")
    world.process().delete()
    tombstone_ns = world.record().head.updated_ns
    world.clock.sleep(-3_600)

    assert world.process().create().summary.updated_ns == tombstone_ns + 1


def test_a_create_over_a_tombstone_replaces_exactly_that_tombstone(world: World) -> None:
    """Two at once: one creates it, the other finds it."""
    world.process().append("a")
    world.process().delete()
    other, answers = world.process(), list[bool]()
    store = InterleavedStore(
        world.data, before={("put", 2): lambda: answers.append(other.create().created)}
    )

    answers.append(world.process(store).create().created)

    assert answers == [True, False]


def test_an_id_whose_deletion_is_not_complete_cannot_be_created_yet(world: World) -> None:
    body = world.place(
        b'{"conversation_id":"thread-1","turns":[],"updated":"2025-01-01T00:00:00Z",'
        b'"deleted":{"segs":["s"],"done":false}}'
    )

    with pytest.raises(UnavailableError):
        world.process().create()

    assert world.stored().body == body


def test_a_delayed_create_that_lands_after_the_delete_is_refused(world: World) -> None:
    """The tombstone stands where the create expects nothing."""
    store = FaultyStore(
        world.data, lambda verb: Fault.DELAYED if verb == "put" else Fault.UNAVAILABLE, delay=10**9
    )
    with pytest.raises(UnavailableError):
        world.process(store).create(title="late")
    world.process().append("a")
    world.process().delete()
    tombstone = world.stored()

    store.land_all()

    assert world.stored() == tombstone
    with pytest.raises(ConversationGoneError):
        world.process().append("b")


@pytest.mark.parametrize("wrong", ["", " ", "a\tb", "x" * 1_025])
def test_a_wrong_id_is_refused(world: World, wrong: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        world.process().create(wrong)

    assert caught.value.field == "conversation_id"


def test_metadata_above_16_kb_is_refused(world: World) -> None:
    metadata: JsonObject = {"k": "x" * 16_384}

    with pytest.raises(InvalidRequestError) as caught:
        world.process().create(CONVERSATION, metadata=metadata)

    assert caught.value.field == "metadata"
