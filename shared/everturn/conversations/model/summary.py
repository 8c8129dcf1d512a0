"""What a list shows of a conversation: title, preview, count, time."""

from collections.abc import Iterable
from dataclasses import dataclass

from everturn.conversations.model.head import Record
from everturn.conversations.model.turn import Turn
from everturn.values.visible_text import cut, is_blank, one_line

UNTITLED = "New chat"
_TITLE_CHARS = 60
_PREVIEW_CHARS = 100
MAX_FOLDER_CHARS = 256


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


def summarize(record: Record) -> Summary:
    """Return the row of a record: its own title or its first user turn, and its newest turn."""
    head = record.head
    newest = (turn.text for turn in record.newest_turns() if not is_blank(turn.text))
    return Summary(
        head.conversation_id,
        make_title(shown_title(record)),
        make_preview(next(newest, "")),
        head.turn_count,
        head.updated_ns,
        head.folder and head.folder[:MAX_FOLDER_CHARS],
        head.archived,
    )


def shown_title(record: Record) -> str:
    """Return the title that was given, whole, else the one made of the first user turn."""
    head = record.head
    if not is_blank(head.title):
        return head.title
    sealed = head.sealed.title if head.sealed else ""
    return sealed or title_of(record.oldest_turns()) or UNTITLED


def title_of(turns: Iterable[Turn]) -> str:
    """Return the title made of the first user turn, "" without one."""
    texts = (turn.text for turn in turns if turn.role == "user")
    return make_title(next((text for text in texts if not is_blank(text)), ""))


def make_title(text: str) -> str:
    """Return a text in one line of at most 60 code points, plus `…` where it was cut."""
    return cut(one_line(text), _TITLE_CHARS)


def make_preview(text: str) -> str:
    """Return a text in one line of at most 100 code points, plus `…` where it was cut."""
    return cut(one_line(text), _PREVIEW_CHARS)
