"""Appends that seal: what is stored, what it costs, and what becomes of segments in trouble."""

from itertools import product

import pytest

from everturn.conversations.model.head import Head
from everturn.errors import ConversationGoneError, UnavailableError
from everturn.values.timestamps import format_time
from fakes.faulty_store import Fault, FaultyStore, Script, scripted
from fakes.interleaved_store import InterleavedStore
from scenarios.process import CONVERSATION
from scenarios.sealed_world import (
    fill,
    orphans,
    put_segment,
    said,
    sealed_of,
    segment,
    segments_there,
    stored_texts,
    taken_in,
)
from scenarios.world import World

UNCLEAR = (Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.DELAYED)


@pytest.mark.usefixtures("small")
def test_segments_and_head_hold_every_turn_once_and_in_order(world: World) -> None:
    process = world.process()
    texts: list[str] = []
    for number in range(80):
        texts += fill(process, 1, start=number)
        assert stored_texts(world) == texts
    assert len(sealed_of(world).segments) >= 3
    assert orphans(world) == taken_in(world) != []


@pytest.mark.usefixtures("small")
def test_batches_of_any_size_stand_in_one_piece(world: World) -> None:
    texts: list[str] = []
    for size in (1, 30, 2, 1, 17, 40, 1):
        batch = [f"batch {len(texts)} {number}" for number in range(size)]
        outcome = world.process().append(*batch)
        assert (outcome.first_turn, outcome.turn_count) == (len(texts), len(texts) + size)
        texts += batch
        assert stored_texts(world) == texts


def test_below_256_kib_the_file_is_the_plain_one(world: World) -> None:
    """Byte for byte what it was before there were segments."""
    process = world.process()
    texts = [f"{number} " + "x" * 4_000 for number in range(64)]
    for text in texts:
        outcome = process.append(text)
    ts = format_time(world.clock.now_ns())
    turns = ",".join(f'{{"role":"user","text":"{text}","ts":"{ts}"}}' for text in texts)
    updated = format_time(outcome.updated_ns)
    assert world.stored().body.decode() == (
        f'{{"conversation_id":"{CONVERSATION}","turns":[{turns}],"updated":"{updated}"}}'
    )
    assert len(turns) <= 256 * 1_024
    assert segments_there(world) == []


@pytest.mark.usefixtures("small")
def test_a_warm_append_is_one_request_and_one_that_seals_three_at_most(world: World) -> None:
    """The newest segment is read and written anew, then the head; the old one is left."""
    store = InterleavedStore(world.data)
    process = world.process(store)
    fill(process, 1)
    kinds: list[tuple[str, ...]] = []
    for number in range(1, 90):
        store.verbs.clear()
        fill(process, 1, start=number)
        kinds.append(tuple(store.verbs))
    first, later = ("put", "put"), ("get", "put", "put")
    assert next(kind for kind in kinds if len(kind) > 1) == first
    assert set(kinds) == {("put",), first, later}
    assert kinds.count(("put",)) > 70


@pytest.mark.usefixtures("small")
def test_the_bytes_of_an_append_do_not_grow_with_the_conversation(world: World) -> None:
    fill(world.process(), 200)
    sealed = sealed_of(world)
    assert len(world.stored().body) < 1_300 + 120 * len(sealed.segments)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("first", Fault)
@pytest.mark.parametrize("second", [None, *Fault])
def test_faults_on_segment_and_head_lose_nothing_and_double_nothing(
    first: Fault, second: Fault | None
) -> None:
    """Put 1 is the segment's, put 2 the head's, or once more the segment's."""
    for delay, third in product((1, 2, 4), (None, Fault.LOST_RESPONSE)):
        world = World()
        fill(world.process(), 15)
        store = FaultyStore(world.data, delay=delay)
        script: Script = {("put", 1): first}
        for number, fault in ((2, second), (3, third)):
            if fault is not None:
                script["put", number] = fault
        store.plan = scripted(script)

        outcome = world.process(store).append("mine", "mine")
        store.land_all()

        assert stored_texts(world) == [*map(said, range(15)), "mine", "mine"]
        assert (outcome.first_turn, outcome.turn_count) == (15, 17)
        assert sealed_of(world).turns > 0


@pytest.mark.usefixtures("small")
def test_a_crash_between_segment_and_head_leaves_a_segment_that_nobody_reads(world: World) -> None:
    fill(world.process(), 15)
    before = world.stored()

    def crash() -> None:
        raise KeyboardInterrupt

    store = InterleavedStore(world.data, before={("put", 2): crash})
    with pytest.raises(KeyboardInterrupt):
        world.process(store).append("mine")

    assert world.stored() == before
    assert len(orphans(world)) == 1
    assert [turn.text for turn in world.process().read().turns] == [said(n) for n in range(15)]
    fill(world.process(), 30, start=15)
    assert stored_texts(world) == [said(number) for number in range(45)]


@pytest.mark.usefixtures("small")
def test_no_two_attempts_write_one_segment(world: World) -> None:
    """Also where the first one lands late, under its own name."""
    fill(world.process(), 15)
    store = FaultyStore(world.data, scripted({("put", 1): Fault.DELAYED}), delay=9)
    world.process(store).append("mine")
    named = sealed_of(world).names
    store.land_all()

    assert sealed_of(world).names == named
    assert len(orphans(world)) == 1
    assert stored_texts(world)[-1] == "mine"


@pytest.mark.usefixtures("small")
def test_two_writers_that_seal_at_once_both_keep_their_turns(world: World) -> None:
    fill(world.process(), 15)
    other = world.process()
    store = InterleavedStore(world.data, before={("put", 2): lambda: other.append("other")})

    world.process(store).append("mine")

    assert stored_texts(world) == [*map(said, range(15)), "other", "mine"]
    assert orphans(world) == []


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("fault", [None, *UNCLEAR])
def test_an_append_that_finds_its_conversation_deleted_takes_its_segments_with_it(
    world: World, fault: Fault | None
) -> None:
    fill(world.process(), 15)
    script: Script = {("put", 2): fault} if fault else {}
    lossy = FaultyStore(world.data, scripted(script), delay=1)
    deleter = world.process()
    store = InterleavedStore(lossy, before={("put", 2): deleter.delete})

    with pytest.raises(ConversationGoneError):
        world.process(store).append("mine")
    lossy.land_all()

    assert segments_there(world) == []
    assert world.record().head.is_done


@pytest.mark.usefixtures("small")
def test_what_was_taken_in_goes_at_once_where_a_turn_of_it_was_redacted_meanwhile(
    world: World,
) -> None:
    """The redaction may have looked before, and what it did not remove holds the old text."""
    fill(world.process(), 27)
    [old] = segments_there(world)
    body = segment(world, old).body
    other = world.process()

    def redact() -> None:
        assert other.redact(3).complete
        put_segment(world, old, body)

    store = InterleavedStore(world.data, before={("put", 2): redact})
    fill(world.process(store), 1, start=27)
    assert sealed_of(world).turns > 12

    assert old not in segments_there(world)
    assert stored_texts(world)[3] == ""


@pytest.mark.usefixtures("small")
def test_without_an_answer_on_a_segment_the_head_is_left_as_it_is(world: World) -> None:
    fill(world.process(), 15)
    before = world.stored()
    store = FaultyStore(
        world.data, lambda verb: Fault.LOST_RESPONSE if verb == "put" else None, delay=1
    )

    with pytest.raises(UnavailableError):
        world.process(store).append("mine")

    assert world.stored() == before
    assert len(orphans(world)) == len(store.failed)


@pytest.mark.usefixtures("small")
def test_a_foreign_file_of_any_size_is_sealed_by_the_first_append(world: World) -> None:
    """Its turns keep their bytes, those that are none included."""
    turns = ",".join(
        f' {{"role": "user", "x": {number}, "text":"turn {number:04d}"}}' if number % 7 else "5"
        for number in range(100)
    )
    world.place(f'{{"conversation_id":"{CONVERSATION}","turns":[{turns}]}}'.encode())

    outcome = world.process().append("mine")

    assert (outcome.first_turn, outcome.turn_count) == (100, 101)
    texts = [said(number) for number in range(100) if number % 7]
    assert stored_texts(world) == [*texts, "mine"]
    assert [turn.index for turn in world.process().page(97).turns] == [97, 99, 100]
    last = world.process().page(0, limit=1).turns[0]
    assert last.value == {"role": "user", "x": 1, "text": "turn 0001"}


@pytest.mark.usefixtures("small")
def test_fields_of_the_head_survive_the_sealing(world: World) -> None:
    process = world.process()
    process.create(title="t", folder="f", metadata={"k": 1})
    fill(process, 40)

    head = world.record().head
    assert (head.title, head.folder, head.metadata) == ("t", "f", {"k": 1})
    assert isinstance(head, Head)
    assert head.sealed is not None
