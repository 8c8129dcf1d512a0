import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.errors import ConflictError, InvalidRequestError, NotFoundError, TooLargeError
from everturn.values.timestamps import format_time, parse_time
from fakes.interleaved_store import InterleavedStore
from scenarios.world import World

SECOND_NS = 1_000_000_000


def test_the_first_append_creates_the_conversation(world: World) -> None:
    outcome = world.process().append("hello")

    assert (outcome.first_turn, outcome.appended, outcome.turn_count) == (0, 1, 1)
    assert not outcome.replayed
    assert world.texts() == ["hello"]


def test_a_batch_stands_in_the_order_sent_behind_what_was_there(world: World) -> None:
    process = world.process()
    process.append("a")

    outcome = process.append("b", "c", "d")

    assert (outcome.first_turn, outcome.appended, outcome.turn_count) == (1, 3, 4)
    assert world.texts() == ["a", "b", "c", "d"]


def test_two_processes_append_behind_one_another(world: World) -> None:
    """A stale cache costs a read, never a turn."""
    one, other = world.process(), world.process()
    one.append("a")
    other.append("b")
    outcome = one.append("c")

    assert world.texts() == ["a", "b", "c"]
    assert outcome.attempts == 2


def test_blank_turns_are_ignored_and_counted(world: World) -> None:
    outcome = world.process().append(" ", "said", "\u200b")

    assert (outcome.appended, outcome.ignored) == (1, 2)
    assert world.texts() == ["said"]


def test_only_blank_turns_write_nothing(world: World) -> None:
    process = world.process()
    process.append("a")
    before = world.stored()

    outcome = process.append(" ", "")

    assert (outcome.appended, outcome.ignored, outcome.turn_count) == (0, 2, 1)
    assert world.stored() == before


def test_only_blank_turns_do_not_create_a_conversation(world: World) -> None:
    outcome = world.process().append("")

    assert (outcome.appended, outcome.turn_count) == (0, 0)
    with pytest.raises(NotFoundError):
        world.process().read()


def test_a_missing_time_is_the_servers(world: World) -> None:
    world.process().append("a")

    assert world.record().readable_turns()[0].ts == format_time(world.clock.now_ns())


def test_a_time_too_far_ahead_is_the_servers_and_is_counted(world: World) -> None:
    ahead = format_time(world.clock.now_ns() + 301 * SECOND_NS)

    outcome = world.process().append("a", ts=ahead)

    assert outcome.clamped == 1
    assert world.record().readable_turns()[0].ts == format_time(world.clock.now_ns())


def test_updated_strictly_increases_while_the_clock_stands(world: World) -> None:
    process = world.process()
    times = [process.append(text).updated_ns for text in "abc"]

    assert times == [times[0], times[0] + 1, times[0] + 2]


def test_updated_strictly_increases_when_the_clock_steps_back(world: World) -> None:
    first = world.process().append("a").updated_ns
    world.clock.sleep(-3_600)

    assert world.process().append("b").updated_ns == first + 1


def test_updated_is_never_below_a_time_of_its_turns(world: World) -> None:
    """A time of up to five minutes ahead is kept as it is, so `updated` goes along."""
    ahead_ns = world.clock.now_ns() + 299 * SECOND_NS

    outcome = world.process().append("a", ts=format_time(ahead_ns))

    assert outcome.updated_ns == ahead_ns
    assert world.process().append("b").updated_ns == ahead_ns + 1


def test_an_old_time_is_kept_and_does_not_move_updated_back(world: World) -> None:
    outcome = world.process().append("a", ts="1999-12-31T23:59:59Z")

    assert world.record().readable_turns()[0].ts == "1999-12-31T23:59:59Z"
    assert outcome.updated_ns == world.clock.now_ns()


def test_equal_turns_of_equal_time_are_all_kept(world: World) -> None:
    process, ts = world.process(), "2025-05-05T05:05:05Z"
    for _ in range(3):
        process.append("yes", ts=ts)
        world.process().append("yes", ts=ts)

    assert world.texts() == ["yes"] * 6


def test_the_right_expected_count_appends(world: World) -> None:
    process = world.process()
    process.append("a", expected=0)
    outcome = process.append("b", expected=1)

    assert outcome.turn_count == 2


@pytest.mark.parametrize("expected", [0, 2])
def test_a_wrong_expected_count_is_refused_with_the_true_one(world: World, expected: int) -> None:
    process = world.process()
    process.append("a")
    before = world.stored()

    with pytest.raises(ConflictError, match="actual=1") as caught:
        process.append("b", expected=expected)

    assert caught.value.field == "expected_turn_count"
    assert world.stored() == before


def test_a_stale_cache_does_not_stand_for_the_expected_count(world: World) -> None:
    """The cache still says 1, the store says 2: the store is right."""
    process = world.process()
    process.append("a")
    world.process().append("b")

    with pytest.raises(ConflictError, match="actual=2"):
        process.append("c", expected=1)

    assert process.append("c", expected=2).turn_count == 3


def test_an_expected_count_that_the_stale_cache_denies_is_asked_of_the_store(world: World) -> None:
    process = world.process()
    process.append("a")
    world.process().append("b")

    assert process.append("c", expected=2).first_turn == 2


def test_of_two_racing_appends_with_one_expected_count_one_wins(world: World) -> None:
    world.process().append("a")
    other = world.process()
    store = InterleavedStore(
        world.data, before={("put", 1): lambda: other.append("other", expected=1)}
    )

    with pytest.raises(ConflictError):
        world.process(store).append("mine", expected=1)

    assert world.texts() == ["a", "other"]


def test_an_unknown_conversation_that_must_exist_is_not_found(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.process().append("a", must_exist=True)

    with pytest.raises(NotFoundError):
        world.process().read()


def test_a_conversation_that_must_exist_and_does_is_appended_to(world: World) -> None:
    world.process().create()

    assert world.process().append("a", must_exist=True).turn_count == 1


def test_a_wrong_turn_is_named_and_none_of_its_batch_is_written(world: World) -> None:
    drafts = [TurnDraft("user", "fine"), TurnDraft(" ", "no role")]

    with pytest.raises(InvalidRequestError) as caught:
        world.process().append_drafts(drafts)

    assert caught.value.field == "turns.1.role"
    with pytest.raises(NotFoundError):
        world.process().read()


def test_a_turn_above_a_mebibyte_is_too_large(world: World) -> None:
    with pytest.raises(TooLargeError):
        world.process().append("x" * 1_048_576)


@pytest.mark.parametrize("wrong", ["", "\u200b", "a\x00b", "x" * 1_025])
def test_a_wrong_id_is_refused_before_any_request(world: World, wrong: str) -> None:
    store = InterleavedStore(world.data)

    with pytest.raises(InvalidRequestError) as caught:
        world.process(store).append("a", to=wrong)

    assert caught.value.field == "conversation_id"
    assert store.verbs == []


def test_two_unicode_forms_of_an_id_are_one_conversation(world: World) -> None:
    world.process().append("a", to="cafe\u0301")
    world.process().append("b", to="caf\u00e9")

    assert world.texts("caf\u00e9") == ["a", "b"]


@pytest.mark.parametrize("wanted", ["../up", "a/b", "%2F", "a b", "\u00fcber", "x" * 1_024])
def test_an_id_that_is_no_plain_name_is_kept_whole(world: World, wanted: str) -> None:
    world.process().append("a", to=wanted)

    assert world.record(wanted).head.conversation_id == wanted


def test_all_that_a_turn_carries_is_stored(world: World) -> None:
    draft = TurnDraft(
        "tool", None, "i-1", "2025-01-02T03:04:05+02:00", "ann",
        [{"type": "text", "text": "42"}], {"k": [1, None]},
    )  # fmt: skip
    world.process().append_drafts([draft])

    assert world.record().values == (
        {
            "role": "tool",
            "text": "42",
            "intent_id": "i-1",
            "ts": "2025-01-02T01:04:05Z",
            "name": "ann",
            "content": [{"type": "text", "text": "42"}],
            "metadata": {"k": [1, None]},
        },
    )
    assert parse_time("2025-01-02T01:04:05Z") == parse_time("2025-01-02T03:04:05+02:00")
