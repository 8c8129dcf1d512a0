"""Two workers on one window, of whom one read the conversation before its newest turn was there."""

import contextlib

from consolidation.consolidations import PlannedExtractor, mark_of, memories, run
from everturn.conversations.model.turn import TurnDraft
from fakes.faulty_store import Fault, FaultyStore, scripted
from fakes.nth_request import NthRequest, crash
from scenarios.world import World


def test_what_was_staged_for_more_turns_is_not_replaced_by_who_knows_fewer(world: World) -> None:
    """The first one wins: part of what it found is in memories."""
    world.process().append("Dana likes tea.")
    other = PlannedExtractor(suffix=" So they say.")

    def meanwhile() -> None:
        if not other.windows:
            world.process().append("The port is 8080.")
            # Its end comes when the first of two memories is written.
            with contextlib.suppress(KeyboardInterrupt):
                run(world, other, data=NthRequest(world.data, 7, crash, after=True))

    run(world, PlannedExtractor(meanwhile=meanwhile))
    assert sorted(memories(world)) == [
        "Dana likes tea. So they say.",
        "The port is 8080. So they say.",
    ]
    assert mark_of(world).turns == 2


def test_a_write_without_an_answer_asks_no_model_again(world: World) -> None:
    """Nothing was staged, since nothing was found."""
    world.process().append_drafts([TurnDraft("assistant", "Hello!")])
    extractor = PlannedExtractor()
    data = FaultyStore(world.data, scripted({("put", 1): Fault.LOST_REQUEST}))
    run(world, extractor, data=data)
    assert extractor.windows == [(0, 1)]
    assert mark_of(world).turns == 1
