"""Consolidating one conversation: from the watermark to the head, each window once."""

from collections import Counter
from dataclasses import replace

import pytest

from consolidation.consolidations import PlannedExtractor, mark_of, memories, run, set_aside, staged
from emulation.counting_store import CountingStore
from everturn.consolidation.outcome import DAILY_TOKENS, Consolidated
from everturn.consolidation.token_quota import TokenUse
from everturn.conversations.model.extraction_window import MAX_TURNS, Window
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import UnavailableError
from everturn.extraction.answers.findings import Findings
from everturn.ports.object_store import ABSENT, ANY, StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.keys import watermark_key
from scenarios.memory_process import memory_process
from scenarios.process import CONVERSATION
from scenarios.world import World


def test_each_turn_becomes_what_it_says_and_cites_itself(world: World) -> None:
    world.process().append("Dana likes tea.", "The port is 8080.")
    done = run(world, PlannedExtractor())
    assert done == Consolidated(windows=1, turns=2, created=2, lag=2, turn_count=2)
    found = memories(world)
    source = found["The port is 8080."].sources[0]
    assert (source.conversation_id, source.first_turn, source.last_turn) == (CONVERSATION, 1, 1)
    assert source.quote == "The port is 8080."
    assert found["Dana likes tea."].provenance == "derived"
    assert mark_of(world).turns == 2
    assert not staged(world)


def test_what_a_turn_says_was_said_when_it_was(world: World) -> None:
    world.process().append("Dana likes tea.", ts="2024-05-24T10:00:00Z")
    run(world, PlannedExtractor())
    assert memories(world)["Dana likes tea."].first_seen_ns == 1_716_544_800 * 10**9


def test_nothing_new_takes_two_requests_and_asks_nobody(world: World) -> None:
    world.process().append("Dana likes tea.")
    extractor = PlannedExtractor()
    run(world, extractor)
    counting = CountingStore(world.data)
    assert run(world, extractor, data=counting) == Consolidated(turn_count=1)
    assert Counter(counting.verbs()) == {"get": 2}
    assert extractor.windows == [(0, 1)]


def test_a_window_with_one_memory_takes_ten_requests(world: World) -> None:
    """Watermark, head, staged; stage, say so; memory (two), head; watermark, unstage."""
    world.process().append("Dana likes tea.")
    counting = CountingStore(world.data)
    run(world, PlannedExtractor(), data=counting)
    assert Counter(counting.verbs()) == {"get": 5, "put": 4, "delete": 1}


def test_a_window_without_memories_takes_four_requests(world: World) -> None:
    world.process().append_drafts([TurnDraft("assistant", "Hello!")])
    counting = CountingStore(world.data)
    run(world, PlannedExtractor(), data=counting)
    assert Counter(counting.verbs()) == {"get": 3, "put": 1}


def test_a_long_conversation_is_read_window_by_window(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(120)))
    extractor = PlannedExtractor()
    done = run(world, extractor)
    assert extractor.windows == [(0, 50), (50, 100), (100, 120)]
    assert (done.windows, done.turns, done.behind) == (3, 120, False)
    assert len(memories(world)) == 120


def test_a_call_without_time_does_one_window_and_says_that_more_is_left(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(60)))
    done = run(world, PlannedExtractor(), seconds=0)
    assert (done.windows, done.turns, done.behind) == (1, 50, True)
    assert mark_of(world).turns == 50


@pytest.mark.usefixtures("small")
def test_sealed_turns_are_read_too(world: World) -> None:
    process = world.process()
    for n in range(70):
        process.append(f"Fact number {n}.")
    assert world.record().head.sealed
    assert run(world, PlannedExtractor()).turns == 70
    assert len(memories(world)) == 70


def test_an_extractor_may_take_less_at_once(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(5)))
    extractor = PlannedExtractor(longest=2)
    run(world, extractor)
    assert extractor.windows == [(0, 2), (2, 4), (4, 5)]


def test_the_same_fact_of_another_conversation_counts_twice(world: World) -> None:
    for id_ in ("a", "b"):
        world.process().append("Dana likes tea.", to=id_)
        run(world, PlannedExtractor(), conversation_id=id_)
    assert memories(world)["Dana likes tea."].count == 2


def test_two_hundred_appends_that_settle_cost_few_windows(world: World) -> None:
    """One job for each ten appends reads ten turns; one at the end reads fifty at a time."""
    extractor, process = PlannedExtractor(), world.process()
    for n in range(200):
        process.append(f"Fact number {n}.")
        if n % 10 == 9:
            run(world, extractor)
    assert len(extractor.windows) == 20
    assert len(memories(world)) == 200


def test_a_forgotten_fact_stays_forgotten_when_its_transcript_comes_again(world: World) -> None:
    process = memory_process(world)
    world.process().append("Dana likes tea.")
    run(world, PlannedExtractor())
    process.forget(memories(world)["Dana likes tea."].rid)
    world.process().append("Dana likes tea.")
    world.process().append("Dana likes tea.", to="another")
    world.data.delete(watermark_key(world.scope, CONVERSATION), expect=ANY)
    for id_ in (CONVERSATION, "another"):
        assert run(world, PlannedExtractor(), conversation_id=id_).created == 0
    assert not memories(world)


def test_consolidation_changes_neither_importance_nor_pin_of_what_a_user_weighed(
    world: World,
) -> None:
    process = memory_process(world)
    process.remember("Dana likes tea.", importance=2, pinned=True)
    world.process().append("Dana likes tea.")
    assert run(world, PlannedExtractor()).reinforced == 1
    memory = memories(world)["Dana likes tea."]
    assert (memory.importance, memory.pinned, memory.provenance) == (2, True, "user_input")


def test_a_turn_nobody_can_read_is_set_aside_and_its_neighbours_are_read(world: World) -> None:
    texts = [f"Fact number {n}." for n in range(60)]
    world.process().append(*texts)
    extractor = PlannedExtractor(poison=[texts[31]])
    done = run(world, extractor)
    assert (done.turns, done.quarantined, done.behind) == (60, 1, False)
    assert sorted(memories(world)) == sorted(set(texts) - {texts[31]})
    assert [key.rpartition("/")[2] for key in set_aside(world)] == ["000000000031.json"]
    assert len(extractor.windows) < 20
    assert extractor.probes == 1


def test_what_is_set_aside_holds_no_text(world: World) -> None:
    world.process().append("my secret poison")
    run(world, PlannedExtractor(poison=["my secret poison"]))
    stored = world.data.get(*set_aside(world))
    assert isinstance(stored, StoredObject)
    assert b"secret" not in stored.body


def test_a_model_that_always_fails_moves_no_watermark_and_fills_no_memory(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(60)))
    extractor = PlannedExtractor(is_broken=True)
    for _ in range(3):
        with pytest.raises(UnavailableError, match="nothing that can be used"):
            run(world, extractor)
    assert mark_of(world).turns == 0
    assert not memories(world)
    assert not set_aside(world)
    # The second delivery knows that one turn alone failed.
    assert len(extractor.windows) == 8
    extractor.is_broken = False
    assert run(world, extractor).turns == 60
    assert len(memories(world)) == 60


def test_a_model_that_is_away_moves_nothing_and_is_asked_for_less_in_the_end(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(40)))
    extractor = PlannedExtractor(is_away=True)
    for _ in range(4):
        with pytest.raises(UnavailableError):
            run(world, extractor)
    assert extractor.windows == [(0, 40), (0, 40), (0, 40), (0, 20)]
    assert mark_of(world).failures == 4
    extractor.is_away = False
    assert run(world, extractor).turns == 40
    assert mark_of(world).failures == 0


def test_one_failure_does_not_shrink_a_window(world: World) -> None:
    world.process().append("Fact number 0.")
    extractor = PlannedExtractor(is_away=True)
    with pytest.raises(UnavailableError):
        run(world, extractor)
    world.process().append(*(f"Fact number {n}." for n in range(1, 50)))
    extractor.is_away = False
    run(world, extractor)
    assert extractor.windows == [(0, 1), (0, 50)]


def test_beyond_its_daily_tokens_a_tenant_is_stored_and_not_read(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(120)))
    extractor = PlannedExtractor(tokens=600)
    done = run(world, extractor, daily_tokens=1_000)
    assert (done.turns, done.tokens, done.behind, done.reason) == (100, 1_200, True, DAILY_TOKENS)
    assert run(world, extractor, daily_tokens=1_000).turns == 0
    assert mark_of(world).failures == 0
    world.clock.sleep(86_400)
    assert run(world, extractor, daily_tokens=1_000).turns == 20


def test_one_that_is_not_read_for_its_tokens_is_written_so_that_a_sweep_sees_it(
    world: World,
) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(60)))
    run(world, PlannedExtractor(tokens=600), daily_tokens=1, seconds=0)
    world.clock.sleep(3_600)
    run(world, PlannedExtractor(tokens=600), daily_tokens=1)
    [entry] = list_all(world.data, watermark_key(world.scope, CONVERSATION))
    assert entry.modified_ns == world.clock.now_ns()


def test_a_turn_that_nobody_can_read_does_not_keep_those_after_it_from_being_read(
    world: World,
) -> None:
    """They are asked about without what was before them."""
    texts = [f"Fact number {n}." for n in range(12)]
    world.process().append(*texts)
    extractor = PlannedExtractor(poison=[texts[4]], is_poisoned_by_context=True)
    done = run(world, extractor)
    assert (done.turns, done.quarantined) == (12, 1)
    assert sorted(memories(world)) == sorted(set(texts) - {texts[4]})


@pytest.mark.parametrize("alone", [False, True])
def test_what_was_paid_for_counts_where_somebody_was_not_heard(
    world: World, *, alone: bool
) -> None:
    """A fallback that is away must not make answers of the first model free."""
    world.process().append("Hello." if alone else "Fact number 0.")
    if alone:
        run(world, PlannedExtractor())
        world.process().append("Fact number 0.")
    extractor = PlannedExtractor(poison=["Fact number 0."], tokens=600)
    plain, calls = extractor.extract, iter(range(9))

    def extract(window: Window) -> Findings:
        is_last = next(calls) == int(alone)
        found = plain(window)
        return replace(found, unheard=UnavailableError("away")) if is_last else found

    extractor.extract = extract  # type: ignore[method-assign]  # somebody else did not answer
    with pytest.raises(UnavailableError, match="away"):
        run(world, extractor, daily_tokens=5_000)
    used = TokenUse(world.derived, world.clock, world.scope.tenant, 600 * (1 + alone))
    assert used.is_spent
    assert not set_aside(world)
    assert mark_of(world).turns == int(alone)


def test_what_is_not_believed_is_counted(world: World) -> None:
    world.process().append("Dana likes tea.")
    assert run(world, PlannedExtractor(dropped=3)).dropped == 3


@pytest.mark.parametrize("body", [b"", b"{}", b'{"turns":-1}', b'{"turns":2,"hashes":"abcdefgh"}'])
def test_a_watermark_that_cannot_be_read_counts_as_none(world: World, body: bytes) -> None:
    world.process().append("Dana likes tea.", "The port is 8080.")
    world.data.put(watermark_key(world.scope, CONVERSATION), body, expect=ABSENT)
    assert run(world, PlannedExtractor()).turns == 2
    assert mark_of(world).turns == 2


def test_context_is_what_was_said_just_before(world: World) -> None:
    world.process().append(*(f"Fact number {n}." for n in range(MAX_TURNS + 3)))
    seen: list[Window] = []
    extractor = PlannedExtractor()
    plain = extractor.extract
    extractor.extract = lambda window: (seen.append(window), plain(window))[1]  # type: ignore[method-assign,func-returns-value]  # a spy
    run(world, extractor)
    assert [turn.index for turn in seen[1].context] == list(range(50))
    assert [turn.index for turn in seen[1].turns] == [50, 51, 52]
