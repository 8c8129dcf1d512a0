import pytest

from everturn.conversations.model.patch import Patch
from everturn.errors import InvalidRequestError, NotFoundError, UnavailableError
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.world import World


def test_a_patch_changes_what_it_names_and_leaves_the_turns(world: World) -> None:
    process = world.process()
    process.append("a", "b")
    before = world.record()

    row = process.patch(Patch(title="Trip", folder="home", archived=True, metadata={"k": 1}))

    head = world.record().head
    assert (row.title, row.folder, row.archived, row.turn_count) == ("Trip", "home", True, 2)
    assert (head.title, head.folder, head.archived, head.metadata) == (
        "Trip", "home", True, {"k": 1},
    )  # fmt: skip
    assert head.turns_json == before.head.turns_json


def test_a_patch_moves_updated_on_by_one_nanosecond(world: World) -> None:
    """The bytes differ, the order of lists does not."""
    before = world.process().append("a").updated_ns
    world.clock.sleep(60)

    assert world.process().patch(Patch(title="t")).updated_ns == before + 1
    assert world.process().patch(Patch(title="u")).updated_ns == before + 2


@pytest.mark.parametrize("patch", [Patch(), Patch(title="t"), Patch(metadata={"gone": None})])
def test_a_patch_that_changes_nothing_writes_nothing(world: World, patch: Patch) -> None:
    world.process().create(title="t")
    before = world.stored()

    world.process().patch(patch)

    assert world.stored() == before


def test_metadata_is_merged_by_key_and_none_removes(world: World) -> None:
    process = world.process()
    process.create(metadata={"a": 1, "b": 2})
    process.patch(Patch(metadata={"a": None, "c": 3}))

    assert world.record().head.metadata == {"b": 2, "c": 3}


def test_a_patch_beside_an_append_loses_neither(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): lambda: other.append("b")})

    world.process(store).patch(Patch(title="t"))

    assert (world.record().head.title, world.texts()) == ("t", ["a", "b"])


def test_an_append_beside_a_patch_loses_neither(world: World) -> None:
    process = world.process()
    process.append("a")
    other = world.process()
    store = InterleavedStore(
        world.data, before={("put", 1): lambda: other.patch(Patch(title="t", folder="f"))}
    )

    world.process(store).append("b")

    head = world.record().head
    assert (head.title, head.folder, world.texts()) == ("t", "f", ["a", "b"])


def test_two_patches_of_different_fields_at_once_both_hold(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(
        world.data, before={("put", 1): lambda: other.patch(Patch(folder="f", metadata={"x": 1}))}
    )

    world.process(store).patch(Patch(title="t", metadata={"y": 2}))

    head = world.record().head
    assert (head.title, head.folder, head.metadata) == ("t", "f", {"x": 1, "y": 2})


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("delay", range(1, 5))
def test_a_patch_without_a_clear_answer_is_made_once(
    world: World, fault: Fault, delay: int
) -> None:
    before = world.process().append("a").updated_ns
    script: Script = {("put", 1): fault, ("get", 2): Fault.UNAVAILABLE}
    store = FaultyStore(world.data, scripted(script), delay=delay)

    row = world.process(store).patch(Patch(title="t"))
    store.land_all()

    assert (row.title, row.updated_ns) == ("t", before + 1)
    assert world.record().head.updated_ns == before + 1
    assert world.texts() == ["a"]


def test_a_patch_keeps_the_idempotency_keys(world: World) -> None:
    world.process().append("a", key="k")
    world.process().patch(Patch(title="t"))

    assert world.process().append("a", key="k").replayed


def test_a_patch_gives_up_after_ten_seconds_of_failures(world: World) -> None:
    world.process().append("a")
    store = FaultyStore(world.data, lambda verb: Fault.REFUSED if verb == "put" else None)
    started = world.clock.monotonic_s()

    with pytest.raises(UnavailableError, match="doing=patch"):
        world.process(store).patch(Patch(title="t"))

    assert 10 <= world.clock.monotonic_s() - started <= 11
    assert len(store.failed) < 120


def test_an_unknown_and_a_deleted_conversation_look_alike(world: World) -> None:
    world.process().append("a")
    world.process().delete()
    tombstone = world.stored()

    messages = set()
    for conversation_id in ("thread-1", "unknown"):
        with pytest.raises(NotFoundError) as caught:
            world.process().patch(Patch(title="t"), conversation_id)
        messages.add(caught.value.message)

    assert len(messages) == 1
    assert world.stored() == tombstone


def test_a_delete_during_a_patch_is_final(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 1): other.delete})

    with pytest.raises(NotFoundError):
        world.process(store).patch(Patch(title="t"))

    assert world.record().head.deleted == {"segs": [], "turns": 1, "done": True}


def test_a_conversation_taken_away_during_a_patch_is_not_found(world: World) -> None:
    world.process().append("a")
    store = InterleavedStore(world.data, before={("put", 1): world.remove})

    with pytest.raises(NotFoundError):
        world.process(store).patch(Patch(title="t"))


def test_merged_metadata_above_16_kb_is_refused_and_nothing_is_written(world: World) -> None:
    world.process().create(metadata={"a": "x" * 9_000})
    before = world.stored()

    with pytest.raises(InvalidRequestError) as caught:
        world.process().patch(Patch(metadata={"b": "x" * 9_000}))

    assert caught.value.field == "metadata"
    assert world.stored() == before


def test_a_title_can_be_taken_away(world: World) -> None:
    process = world.process()
    process.create(title="t", folder="f")
    process.append("first words")
    row = process.patch(Patch(title=None, folder=None))

    assert (row.title, row.folder) == ("first words", None)
