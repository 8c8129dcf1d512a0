"""Remembering: created once, counted once for each source, whatever comes again."""

import pytest

from emulation.counting_store import CountingStore
from everturn.errors import ConversationGoneError, CorruptRecordError
from everturn.memory.model.draft import SourceDraft
from everturn.values.keys import memories_prefix, memory_key
from fakes.content_etags import ContentEtags
from fakes.faulty_store import Fault, FaultyStore, scripted
from scenarios.memory_process import MemoryProcess, bodies, live, memory_process
from scenarios.memory_traces import stored_memory
from scenarios.process import CONVERSATION
from scenarios.world import World

TEA = "Dana likes tea."


@pytest.fixture
def process(world: World) -> MemoryProcess:
    return memory_process(world)


def test_a_first_time_creates_and_each_other_source_reinforces(process: MemoryProcess) -> None:
    sources = [SourceDraft("a"), SourceDraft("b"), SourceDraft(key="k"), SourceDraft()]
    remembered = [process.remember(TEA, source=source) for source in sources]
    assert [one.created for one in remembered] == [True, False, False, False]
    assert [live(one).count for one in remembered] == [1, 2, 3, 4]
    assert len({live(one).rid for one in remembered}) == 1


@pytest.mark.parametrize("source", [SourceDraft("a", 1, 2, "q"), SourceDraft(key="k"), None])
def test_the_same_source_counts_once(process: MemoryProcess, source: SourceDraft | None) -> None:
    for _ in range(3):
        memory = live(process.remember(TEA, source=source))
        process.clock.sleep(1)
    assert (memory.count, memory.strength) == (1, 0.5)


def test_the_same_request_sent_again_does_not_say_it_later(
    world: World, process: MemoryProcess
) -> None:
    """A client that retries a day later must not bring back what was corrected since."""
    first = live(process.remember("The port is 8080.", source="k"))
    process.clock.sleep(10)
    process.change(first.rid, statement="The port is 9090.")
    process.clock.sleep(10)
    process.remember("The port is 8080.", source="k")
    assert stored_memory(world, first.rid) == first
    assert process.texts("port") == ["The port is 9090."]


def test_two_paths_that_differ_in_case_and_two_subjects_stay_two(process: MemoryProcess) -> None:
    process.remember("The log is in /var/Log.")
    process.remember("The log is in /var/log.")
    process.remember("lives in Paris", subject="Dana")
    process.remember("lives in Paris", subject="Ann")
    assert len(process.page().views) == 4
    assert sorted(process.texts("lives in Paris", top_k=2)) == [
        "Ann: lives in Paris",
        "Dana: lives in Paris",
    ]


def test_only_who_asks_for_it_makes_a_constraint_hard(process: MemoryProcess) -> None:
    rule = "Never deploy on Fridays."
    assert not live(process.remember(rule, "constraint", hard=True, explicit=False)).hard
    assert live(process.remember(rule, "constraint", hard=True)).hard


def test_a_conversation_that_never_was_may_be_a_source(process: MemoryProcess) -> None:
    """Memories come from elsewhere, too."""
    assert live(process.remember(TEA, source=SourceDraft("of another system"))).count == 1


def test_a_conversation_that_was_deleted_says_nothing_any_more(
    world: World, process: MemoryProcess
) -> None:
    world.process().append("a")
    process.remember(TEA, source="k")
    world.process().delete()
    with pytest.raises(ConversationGoneError):
        process.remember(TEA, source=SourceDraft(CONVERSATION, quote="secret"))
    with pytest.raises(ConversationGoneError):
        process.remember("Other.", source=SourceDraft(CONVERSATION))
    [view] = process.page().views
    assert (view.memory.statement, view.memory.count) == (TEA, 1)


@pytest.mark.parametrize("known", [False, True])
def test_a_write_that_arrives_after_its_conversation_was_deleted_is_refused(
    world: World, *, known: bool
) -> None:
    """Etags are those of the content here, as on S3: what was there once may be there again."""
    world.data = ContentEtags(world.clock)
    world.process().append("a")
    if known:
        memory_process(world).remember(TEA, source="k")
    late = FaultyStore(world.data, scripted({("put", 1): Fault.DELAYED}), delay=1_000)
    source = SourceDraft(CONVERSATION, 0, quote="secret")
    memory_process(world, data=late).remember(TEA, source=source)
    assert world.process().delete().complete
    late.land_all()
    assert not any(b"secret" in body for body in bodies(world.data, world.derived).values())
    assert memory_process(world).texts("tea") == ([TEA] if known else [])


def test_the_same_request_does_not_bring_back_what_was_forgotten_since(
    process: MemoryProcess,
) -> None:
    rid = live(process.remember(TEA, source="k")).rid
    process.forget(rid)
    assert process.remember(TEA, source="k").memory is None
    assert live(process.remember(TEA, source="another")).rid == rid


def test_it_is_two_requests_and_two_more_for_a_conversation(world: World) -> None:
    counting = CountingStore(world.data)
    process = memory_process(world, data=counting)
    process.remember(TEA, source="k")
    assert counting.verbs() == ["get", "put"]
    counting.calls.clear()
    process.remember(TEA, source=SourceDraft(CONVERSATION))
    assert counting.verbs() == ["get", "get", "put", "get"]


def test_a_replay_writes_nothing(world: World) -> None:
    counting = CountingStore(world.data)
    process = memory_process(world, data=counting)
    process.remember(TEA, source="k")
    process.remember(TEA, source="k")
    assert counting.verbs() == ["get", "put", "get"]


def test_a_record_that_cannot_be_read_stays_as_it_is(world: World, process: MemoryProcess) -> None:
    rid = live(process.remember(TEA)).rid
    world.data.overwrite(memory_key(world.scope, rid), b"{")
    with pytest.raises(CorruptRecordError) as caught:
        process.remember(TEA)
    assert "tea" not in str(caught.value)
    [key] = world.data.list(memories_prefix(world.scope)).keys
    assert key == memory_key(world.scope, rid)


def test_forty_sources_are_counted_and_the_newest_have_their_quotes(process: MemoryProcess) -> None:
    for number in range(40):
        process.clock.sleep(1)
        memory = live(process.remember(TEA, source=SourceDraft(f"c{number}", quote=f"q{number}")))
    assert memory.count == 40
    assert [source.quote for source in memory.sources] == [f"q{number}" for number in range(8, 40)]
