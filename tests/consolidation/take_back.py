"""Ways to take back what a conversation said, and what it says afterwards."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from consolidation.consolidation_calls import TEXTS
from everturn.errors import NotFoundError
from scenarios.world import World

Act: TypeAlias = Callable[[World], None]


def redact(world: World) -> None:
    """Redact the first turn."""
    assert world.process().redact(0).complete


def pop(world: World) -> None:
    """Take back the newest turn."""
    assert world.process().pop(expected=len(TEXTS)).complete


def pop_and_go_on(world: World) -> None:
    """Take back the newest turn, and say something else in its place."""
    pop(world)
    world.process().append("Dana likes milk.")


def delete(world: World) -> None:
    """Delete the conversation."""
    try:
        assert world.process().delete().complete
    except NotFoundError:
        return


def live_again(world: World) -> None:
    """Delete the conversation, and begin another one of its id."""
    delete(world)
    world.clock.sleep(1)
    world.process().create()
    world.process().append("Dana likes milk.", "Dana likes juice.")


TAKE_BACK: Final[Mapping[Act, tuple[str, ...]]] = {
    redact: ("", *TEXTS[1:]),
    pop: TEXTS[:-1],
    pop_and_go_on: (*TEXTS[:-1], "Dana likes milk."),
    delete: (),
    live_again: ("Dana likes milk.", "Dana likes juice."),
}
"""What the conversation says after each."""
