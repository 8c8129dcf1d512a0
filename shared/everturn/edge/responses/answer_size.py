"""Which items fit into one answer."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from everturn.conversations.read_conversation import MAX_ANSWER_BYTES
from everturn.values.go_json import JsonObject, JsonValue, dumps

# What surrounds the items of an answer: how far it looked, a reason.
_FRAME_BYTES: Final = 4_096
ANSWER_FULL: Final = "answer_full"
"""The reason of an answer that something was left out of because an answer has a limit."""

Item = TypeVar("Item")


class Room:
    """The room of one answer: items are put in as long as they fit."""

    def __init__(self, text: str = "") -> None:
        """Begin with what stands in the answer whatever happens."""
        self._left = MAX_ANSWER_BYTES - _FRAME_BYTES - len(dumps(text).encode())
        self.whole = True
        """Whether all items had room."""

    def fit(self, items: Iterable[Item], encode: Callable[[Item], JsonObject]) -> list[JsonValue]:
        """Return the items that fit, in their order; one too large is left out.

        A turn may carry a framework's own message of a mebibyte beside a text of one word.
        """
        taken: list[JsonValue] = []
        for body in map(encode, items):
            size = len(dumps(body).encode()) + 1
            if size <= self._left:
                taken.append(body)
                self._left -= size
            else:
                self.whole = False
        return taken

    def begin(self, items: Iterable[Item], encode: Callable[[Item], JsonObject]) -> list[JsonValue]:
        """Return the first items, as many as fit: the others follow in another answer."""
        taken: list[JsonValue] = []
        for item in items:
            one = self.fit([item], encode)
            if not one:
                break
            taken += one
        return taken

    def told(self, reason: str | None, *, degraded: bool) -> JsonObject:
        """Say whether the answer lacks something, and why."""
        said: JsonObject = {"degraded": degraded or not self.whole}
        reason = reason or (None if self.whole else ANSWER_FULL)
        return said if reason is None else {**said, "reason": reason}
