"""What a memory may come from: turns that are there and say something."""

import pytest

from everturn.errors import ConversationGoneError, InvalidRequestError
from everturn.memory.model.draft import SourceDraft
from everturn.values.timestamps import parse_time
from fakes.interleaved_store import InterleavedStore
from scenarios.memory_process import MemoryProcess, bodies, live, memory_process
from scenarios.process import CONVERSATION
from scenarios.world import World

SECRET = "the locker code is zanzibar"


@pytest.fixture
def process(world: World) -> MemoryProcess:
    world.process().append("hello", SECRET, ts="2025-06-01T10:00:00Z")
    return memory_process(world)


@pytest.mark.parametrize("turns", [(2, 2), (1, 2), (2, None), (None, 7)])
def test_a_turn_that_is_not_there_says_nothing(
    world: World, process: MemoryProcess, turns: tuple[int | None, int | None]
) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        process.remember(SECRET, source=SourceDraft(CONVERSATION, *turns))
    assert caught.value.field == "source.to"
    assert not world.data.list("m/").keys


@pytest.mark.parametrize("turns", [(1, 1), (0, 1)])
def test_a_redacted_turn_says_nothing(
    world: World, process: MemoryProcess, turns: tuple[int, int]
) -> None:
    world.process().redact(1)
    with pytest.raises(InvalidRequestError) as caught:
        process.remember(SECRET, source=SourceDraft(CONVERSATION, *turns, "zanzibar"))
    assert caught.value.field == "source.from"
    assert not any(b"zanzibar" in body for body in bodies(world.data, world.derived).values())


def test_a_deleted_conversation_says_nothing_and_nothing_is_written(
    world: World, process: MemoryProcess
) -> None:
    world.process().delete()
    with pytest.raises(ConversationGoneError):
        process.remember(SECRET, source=SourceDraft(CONVERSATION))
    assert not world.data.list("m/").keys


def test_what_was_forgotten_stays_so_when_a_deleted_conversation_says_it(
    world: World, process: MemoryProcess
) -> None:
    old = live(process.remember("The port is 8080.")).rid
    new = process.change(old, statement="The port is 9090.").view.memory.rid
    process.forget(new)
    world.process().delete()
    with pytest.raises(ConversationGoneError):
        process.remember("The port is 9090.", source=SourceDraft(CONVERSATION))
    assert not [text for text in process.texts("port") if "port" in text]


def test_what_a_turn_says_was_said_when_the_turn_was(process: MemoryProcess) -> None:
    memory = live(process.remember(SECRET, source=SourceDraft(CONVERSATION, 1)))
    assert memory.last_seen_ns == parse_time("2025-06-01T10:00:00Z")


def test_an_unknown_conversation_is_a_source_like_any_other(process: MemoryProcess) -> None:
    assert live(process.remember(SECRET, source=SourceDraft("elsewhere", 7, 9))).count == 1


@pytest.mark.parametrize("what", ["delete", "redact"])
def test_what_is_taken_back_while_it_is_remembered_goes_again(
    world: World, process: MemoryProcess, what: str
) -> None:
    writer = world.process()

    def take_back() -> object:
        return writer.delete() if what == "delete" else writer.redact(1)

    # The first put is the memory's own.
    process.data = InterleavedStore(world.data, before={("put", 1): take_back})
    with pytest.raises((ConversationGoneError, InvalidRequestError)):
        process.remember(SECRET, source=SourceDraft(CONVERSATION, 1, 1, "zanzibar"))
    assert not any(b"zanzibar" in body for body in bodies(world.data, world.derived).values())


def test_a_crash_before_the_second_look_is_mended_by_the_same_request(
    world: World, process: MemoryProcess
) -> None:
    writer = world.process()

    def die() -> None:
        writer.delete()
        raise KeyboardInterrupt

    # The conversation is deleted, and the process dies, once the memory is written.
    process.data = InterleavedStore(world.data, after={("put", 1): die})
    with pytest.raises(KeyboardInterrupt):
        process.remember(SECRET, source=SourceDraft(CONVERSATION, 1, 1, "zanzibar"))
    process.data = world.data
    with pytest.raises(ConversationGoneError):
        process.remember(SECRET, source=SourceDraft(CONVERSATION, 1, 1, "zanzibar"))
    assert not any(b"zanzibar" in body for body in bodies(world.data, world.derived).values())


@pytest.mark.parametrize("redact", [False, True])
def test_a_refused_source_takes_nothing_from_the_memories_of_its_other_turns(
    world: World, process: MemoryProcess, *, redact: bool
) -> None:
    rid = live(process.remember("Hello was said.", source=SourceDraft(CONVERSATION, 0))).rid
    if redact:
        world.process().redact(1)
    with pytest.raises(InvalidRequestError):
        process.remember(SECRET, source=SourceDraft(CONVERSATION, 0, 1 if redact else 9))
    assert process.read(rid).view.memory.count == 1


def test_a_redaction_of_one_turn_meanwhile_leaves_the_memories_of_the_others(
    world: World, process: MemoryProcess
) -> None:
    rid = live(process.remember("Hello was said.", source=SourceDraft(CONVERSATION, 0))).rid
    writer = world.process()
    process.data = InterleavedStore(world.data, before={("put", 1): lambda: writer.redact(1)})
    with pytest.raises(InvalidRequestError):
        process.remember(SECRET, source=SourceDraft(CONVERSATION, 0, 1, "zanzibar"))
    assert memory_process(world).read(rid).view.memory.count == 1
    assert not any(b'"quote":"zanzibar"' in b for b in bodies(world.data, world.derived).values())
