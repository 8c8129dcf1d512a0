"""What a conversation said in memories goes with it, whoever writes meanwhile."""

from collections.abc import Iterator

import pytest

from everturn.deletion.delete_conversation import Receipt
from everturn.errors import ConversationGoneError
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.memory import Memory
from fakes.nth_request import NthRequest
from fakes.schedule import merged, run_in_order
from memory.taken_back import (
    SECRET,
    SHARED,
    assert_erased,
    places,
    through,
    told,
)
from scenarios.memory_sources import index, memories, say, turn
from scenarios.process import CONVERSATION, Process
from scenarios.world import World

pytestmark = pytest.mark.slow

DELETE = list(places(Process.delete))


@pytest.mark.parametrize(("name", "nth"), DELETE)
def test_who_reinforces_a_memory_meanwhile_keeps_it(name: str, nth: int) -> None:
    """And the conversation loses it all the same."""
    world = told()

    def reinforce() -> None:
        for text in (SECRET.upper(), SHARED.upper()):
            say(world, text, SourceDraft("third", 2, 2, "mine"))

    store = NthRequest(getattr(world, name), nth, reinforce)
    assert through(world, **{name: store}).delete().complete
    [memory] = [one for text, one in memories(world).items() if text.upper() == SECRET.upper()]
    assert [source.quote for source in memory.sources] == ["mine"]
    assert [one.quote for one in memories(world)[SHARED].sources] == ["kept", "mine"]
    assert CONVERSATION.encode() not in b"".join(_records(world))


def _records(world: World) -> Iterator[bytes]:
    for memory in memories(world).values():
        yield repr(memory.sources).encode()


@pytest.mark.parametrize(("name", "nth"), DELETE)
def test_what_is_remembered_of_it_meanwhile_goes_or_is_refused(name: str, nth: int) -> None:
    world = told()

    def remember() -> None:
        try:
            say(world, "Another secret.", turn(0, 0, "secret"))
        except ConversationGoneError:
            return

    store = NthRequest(getattr(world, name), nth, remember)
    receipt = through(world, **{name: store}).delete()
    assert receipt.complete
    assert_erased(world)


REMEMBERING = 4


@pytest.mark.parametrize("nth", range(1, REMEMBERING + 1))
def test_a_delete_while_something_is_remembered_of_it_leaves_nothing(nth: int) -> None:
    world = told()
    receipts: list[Receipt] = []
    store = NthRequest(world.data, nth, lambda: receipts.append(world.process().delete()))
    try:
        say(world, "Another secret.", turn(0, 0, "secret"), store=store)
    except ConversationGoneError:
        pass
    else:
        # Its last look came before the delete, which then found it.
        assert not receipts
        receipts.append(world.process().delete())
    assert [receipt.complete for receipt in receipts] == [True]
    assert_erased(world)


@pytest.mark.parametrize(("name", "nth"), DELETE)
def test_an_index_that_is_written_meanwhile_keeps_nothing_of_it(name: str, nth: int) -> None:
    world = told()
    store = NthRequest(getattr(world, name), nth, lambda: index(world))
    assert through(world, **{name: store}).delete().complete
    assert_erased(world)


def test_of_two_sources_deleted_at_once_none_keeps_the_memory() -> None:
    """Each sees the other's source first, in some of the orders."""
    for order in merged(D=14, E=3):
        world = World()
        world.process().append("a")
        world.process().append("a", to="other")
        say(world, SECRET)
        say(world, SECRET, "other")
        calls = {
            "D": lambda store: through(world, store).delete(),  # noqa: B023 - called at once
            "E": lambda store: through(world, store).delete("other"),  # noqa: B023
        }
        results = run_in_order(world.data, calls, order)
        assert all(isinstance(result, Receipt) and result.complete for result in results.values())
        assert memories(world) == {}


@pytest.mark.parametrize("nth", range(1, 16))
def test_a_redaction_beside_who_reinforces_takes_its_part_alone(nth: int) -> None:
    world = told()
    store = NthRequest(
        world.data, nth, lambda: say(world, SECRET, SourceDraft("third", quote="mine"))
    )
    assert world.process(store).redact(0).complete
    left = memories(world)
    expected: list[Memory] = [left[SECRET]] if store.count >= nth else []
    assert [[one.quote for one in memory.sources] for memory in expected] == [["mine"]] * len(
        expected
    )
    assert [one.quote for one in left[SHARED].sources] == ["kept"]
