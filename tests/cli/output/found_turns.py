"""Conversations as an import finds them, with as many turns as a test wants."""

from everturn.cli.importers.conversation_files import FoundConversation, JsonObject


def numbered(count: int, prefix: str = "t") -> tuple[JsonObject, ...]:
    """Turns of a user that say `t0`, `t1` and so on."""
    return tuple({"role": "user", "text": f"{prefix}{number}"} for number in range(count))


def conversation_of(turns: tuple[JsonObject, ...], **head: object) -> FoundConversation:
    """The conversation `c` with these turns."""
    return FoundConversation("c", turns, dict(head))
