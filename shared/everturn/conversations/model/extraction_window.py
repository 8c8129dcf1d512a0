"""The turns that one extraction reads: some that follow each other, and what went before them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from everturn.conversations.model.encoded_turns import is_redacted
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.values.go_json import JsonValue

MAX_TURNS: Final = 50
"""How many turns one extraction reads: what is said in them fits one answer."""

CONTEXT_TURNS: Final = 6
"""How many of the turns before them a model is shown, to know what `it` and `there` are."""


@dataclass(frozen=True, slots=True)
class Window:
    """The readable turns of `[first, end)`, and up to 50 before them that may not be cited.

    Turns that were redacted, or that nobody can read, are not among them.
    """

    conversation_id: str
    first: int
    turns: tuple[Turn, ...]
    end: int
    context: tuple[Turn, ...] = ()

    @property
    def size(self) -> int:
        """How many turns it goes over, readable or not."""
        return self.end - self.first

    def until(self, end: int) -> "Window":
        """Return its beginning, up to the turn numbered `end`."""
        turns = tuple(turn for turn in self.turns if turn.index < end)
        return replace(self, turns=turns, end=end)


def window_of(
    conversation_id: str, values: Sequence[JsonValue], *, first: int, begin: int, end: int
) -> Window:
    """Return the window of the turns from number `begin` up to `end`.

    Args:
        conversation_id: of which conversation.
        values: its turns from number `first` on, as they are stored.
        first: at most `begin`.
        begin: the first turn that may be cited.
        end: after the last one.
    """
    readable = [
        turn
        for number, value in enumerate(values, first)
        if not is_redacted(value) and (turn := readable_turn(number, value)) is not None
    ]
    turns = tuple(turn for turn in readable if begin <= turn.index < end)
    before = [turn for turn in readable if turn.index < begin]
    return Window(conversation_id, begin, turns, end, tuple(before[-MAX_TURNS:]))
