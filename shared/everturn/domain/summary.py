"""What a list shows of a conversation: title, preview, count, time.

Not here: how lists are made and cached (services/list_conversations.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from everturn.domain.go_json import JsonObject
from everturn.domain.head import Record
from everturn.domain.timestamps import format_time
from everturn.domain.turn import Turn
from everturn.domain.visible_text import cut, is_blank, one_line

UNTITLED = "New chat"
_TITLE_CHARS = 60
_PREVIEW_CHARS = 100


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of a list."""

    conversation_id: str
    title: str
    preview: str
    turn_count: int
    updated_ns: int
    folder: str | None = None
    archived: bool = False

    @property
    def answer(self) -> JsonObject:
        """The row as the API shows it."""
        row: JsonObject = {
            "conversation_id": self.conversation_id,
            "title": self.title,
            "preview": self.preview,
            "turn_count": self.turn_count,
            "updated": format_time(self.updated_ns),
        }
        if self.folder:
            row["folder"] = self.folder
        if self.archived:
            row["archived"] = True
        return row


def summarize(record: Record) -> Summary:
    """Return the row of a record: its own title or its first user turn, and its newest turn."""
    head, turns = record.head, record.turns
    return Summary(
        head.conversation_id,
        cut(one_line(full_title(record)), _TITLE_CHARS),
        next((make_preview(turn.text) for turn in reversed(turns) if not is_blank(turn.text)), ""),
        head.turn_count,
        head.updated_ns,
        head.folder,
        head.archived,
    )


def full_title(record: Record) -> str:
    """Return the title that was given, whole, else the one made of the first user turn."""
    return record.head.title if not is_blank(record.head.title) else _first_user_text(record.turns)


def _first_user_text(turns: Iterable[Turn]) -> str:
    texts = (turn.text for turn in turns if turn.role == "user" and not is_blank(turn.text))
    return next((make_title(text) for text in texts), UNTITLED)


def make_title(text: str) -> str:
    """Return a text in one line of at most 60 code points, plus `…` where it was cut."""
    return cut(one_line(text), _TITLE_CHARS)


def make_preview(text: str) -> str:
    """Return a text in one line of at most 100 code points, plus `…` where it was cut."""
    return cut(one_line(text), _PREVIEW_CHARS)
