"""What was deleted stays deleted, also when its id is created anew within one call."""

import pytest

from everturn.conversations.model.patch import Patch
from everturn.errors import ConversationGoneError, UnavailableError
from everturn.ports.object_store import ObjectStore
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.world import World


def _losing_its_first_answer(world: World, *others: Process) -> ObjectStore:
    """Return a store whose first put is carried out and not answered; then `others` have a turn."""

    def meanwhile() -> None:
        others[0].delete()
        for other in others[1:]:
            other.create(title="second life")

    lossy = FaultyStore(world.data, scripted({("put", 1): Fault.LOST_RESPONSE}), delay=1)
    return InterleavedStore(lossy, after={("put", 1): meanwhile})


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("existing", [False, True])
def test_an_append_that_was_deleted_is_not_written_into_the_second_life(
    world: World, *, warm: bool, existing: bool
) -> None:
    writer = world.process()
    if existing or warm:
        writer.append("a")
    if not warm:
        writer = world.process()
    other = world.process()
    writer.store = _losing_its_first_answer(world, other, other)

    with pytest.raises(ConversationGoneError):
        writer.append("deleted")

    assert world.texts() == []
    assert world.record().head.title == "second life"


def test_an_append_whose_lost_attempt_never_landed_goes_into_the_second_life(world: World) -> None:
    writer, other = world.process(), world.process()
    writer.append("a")

    def meanwhile() -> None:
        other.delete()
        other.create()

    lossy = FaultyStore(world.data, scripted({("put", 1): Fault.LOST_REQUEST}), delay=1)
    writer.store = InterleavedStore(lossy, after={("put", 1): meanwhile})

    assert writer.append("kept").first_turn == 0
    assert world.texts() == ["kept"]


@pytest.mark.parametrize("fault", [Fault.LOST_REQUEST, Fault.DELAYED])
def test_an_equal_turn_in_the_life_after_a_sweep_is_not_taken_for_a_lost_attempt(
    world: World, fault: Fault
) -> None:
    """The file of an empty conversation was removed; what stands there now is another's."""
    writer, other = world.process(), world.process()
    writer.create()
    world.remove()
    other.append("yes")
    lossy = FaultyStore(world.data, scripted({("put", 1): fault}), delay=9)
    writer.store = lossy

    assert writer.append("yes").first_turn == 1
    lossy.land_all()
    assert world.texts() == ["yes", "yes"]


def test_a_creation_that_was_deleted_does_not_come_back_by_itself(world: World) -> None:
    creator = world.process()
    creator.store = _losing_its_first_answer(world, world.process())

    with pytest.raises(UnavailableError):
        creator.create(title="deleted")

    assert world.record().head.deleted is not None


def test_a_delete_whose_answer_was_lost_spares_the_second_life(world: World) -> None:
    deleter, other = world.process(), world.process()
    other.append("a", "b")
    deleter.store = _losing_its_first_answer(world, other, other)

    assert deleter.delete().turns == 2
    assert world.record().head.title == "second life"


def test_a_delete_that_the_second_life_forgot_does_not_guess(world: World) -> None:
    """Sixty appends later nobody can tell: the caller looks again, and nothing of it is lost."""
    deleter, other = world.process(), world.process()
    other.append("a")
    lossy = FaultyStore(world.data, scripted({("put", 1): Fault.LOST_RESPONSE}), delay=1)

    def meanwhile() -> None:
        other.delete()
        other.create()
        for number in range(61):
            other.append(str(number))

    deleter.store = InterleavedStore(lossy, after={("put", 1): meanwhile})

    with pytest.raises(UnavailableError):
        deleter.delete()
    assert len(world.texts()) == 61


def test_a_deleted_id_is_created_anew_only_once_its_deletion_is_done(world: World) -> None:
    world.process().append("a")
    creator, answers = world.process(), list[str]()

    def create() -> None:
        with pytest.raises(UnavailableError):
            creator.create(title="too early")
        answers.append("refused")

    # The second put says that it is done.
    store = InterleavedStore(world.data, after={("put", 1): create}, before={("put", 2): create})
    world.process(store).delete()

    assert answers == ["refused"] * 2
    assert creator.create(title="second life").created


def test_a_key_of_the_first_life_is_free_in_the_second(world: World) -> None:
    process = world.process()
    process.append("a", key="k")
    process.delete()
    process.create()

    assert process.append("a", key="k").replayed is False
    assert world.process().append("a", key="k").replayed is True
    assert world.texts() == ["a"]


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0, False)])
def test_a_patch_that_changes_a_type_alone_is_written(world: World, old: float, new: float) -> None:
    process = world.process()
    process.create(metadata={"k": old})
    process.patch(Patch(metadata={"k": new}))
    metadata = world.record().head.metadata
    assert metadata is not None
    assert repr(metadata["k"]) == repr(new)
