"""No memory holds what a turn said once it was redacted, whichever turn the model named."""

import json

import pytest

from consolidation.consolidations import memories, run
from everturn.adapters.scripted_chat import ScriptedChat
from everturn.extraction.model_extractor import ModelExtractor
from scenarios.sealed_world import everything
from scenarios.world import World

CODE = "GX-4711-A9"
ANSWER = json.dumps({
    "facts": [],
    "user_facts": [{
        "turn": 2, "quote": "that code opens the garage door",
        "text": f"The user's garage door opens with {CODE}.",
    }],
})  # fmt: skip


@pytest.mark.parametrize(("gap", "found"), [(0, 1), (1, 1), (2, 0), (8, 0)])
def test_an_identifier_goes_with_the_turn_that_said_it(gap: int, found: int) -> None:
    """Near the quote it is cited with it; from afar nothing is remembered."""
    world = World()
    for text in (f"the code is {CODE}", *["ok"] * gap, "that code opens the garage door"):
        world.process().append(text)
    run(world, ModelExtractor([ScriptedChat([ANSWER])], clock=world.clock))
    assert len(memories(world)) == found

    assert world.process().redact(0).complete
    assert not memories(world)
    assert CODE.lower().encode() not in everything(world).lower()
