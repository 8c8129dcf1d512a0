"""Brings what belongs together beside one another, where two writers' messages are interleaved."""

from collections.abc import Iterable
from dataclasses import dataclass

from strands.types.session import SessionMessage

from everturn.integrations.strands.stored_turn import UNKNOWN


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message, and the number of the one that its writer saw before it."""

    message: SessionMessage
    after: int = UNKNOWN


def in_exchanges(seen: Iterable[SeenMessage]) -> list[SessionMessage]:
    """Return messages with each exchange in one piece, from what was asked to the answer.

    Exchanges come in the order in which they began, the messages of one in the order of their
    commits; those of a single writer stay as they are. So a model finds each result of a tool
    directly after its call, and user and assistant in turn.

    Args:
        seen: in the order of the commits.
    """
    exchanges: dict[int, list[SessionMessage]] = {}
    began_at: dict[int, int] = {}
    for one in seen:
        number = one.message.message_id
        begins = number if _begins(one.message) else began_at.get(one.after, number)
        began_at[number] = begins
        exchanges.setdefault(begins, []).append(one.message)
    return [message for exchange in exchanges.values() for message in exchange]


def _begins(message: SessionMessage) -> bool:
    said = message.to_message()
    return said["role"] == "user" and not any("toolResult" in block for block in said["content"])
