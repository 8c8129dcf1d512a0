"""A turn as a model reads it: which of its text is shown, and the line that it becomes."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from everturn.conversations.model.turn import Turn, opens_inside_tool_exchange
from everturn.recall.language.terms import Span, outside_recalled
from everturn.values.prompt_text import one_line
from everturn.values.timestamps import format_time, parse_time
from everturn.values.visible_text import is_blank

LEFT_OUT: Final = "[...]"
"""Stands for the middle of a turn that is too long."""

# OpenAI, Anthropic and Bedrock say user; LangChain says human and ai, Gemini model.
_USERS: Final = frozenset({"user", "human"})
_ASSISTANTS: Final = frozenset({"assistant", "ai", "model"})
_MAX_SPEAKER_CHARS: Final = 64
# Where a reader of any program sees a new line.
_LINE_ENDS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
# With these a role or a name could end its head, or begin another.
_OF_HEADS = re.compile(r"[:#()]+")
# The marks around a transcript, which no turn may write; wide brackets look the same to a model.
_FRAME = re.compile(r"[<\uff1c\ufe64](?=[\s/\\]*(?:transcript|earlier)\b)", re.IGNORECASE)
_INDENT: Final = "\n  "
# Whatever is longer is no word and no identifier: half of one would be another one.
_LONGEST_WORD: Final = 400
_FIRST_RUN, _LAST_RUN = re.compile(r"\S+"), re.compile(r"(?<!\S)\S+\Z")
_MINUTES: Final = len("2024-05-24T10:00")
_DAY: Final = len("2024-05-24")


def is_of_user(turn: Turn) -> bool:
    """Say whether a user said this, and no tool answers in his place."""
    in_exchange = opens_inside_tool_exchange(turn.role, turn.value.get("content"))
    return turn.role.strip().lower() in _USERS and not in_exchange


def is_of_assistant(turn: Turn) -> bool:
    """Say whether a model said this."""
    return turn.role.strip().lower() in _ASSISTANTS


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn and the parts of its text that are shown, in order; before one of them some is cut.

    What was recalled into it is in no part.
    """

    turn: Turn
    parts: tuple[Span, ...]
    cut_before: int | None = None
    """Which part follows what was left out."""

    @property
    def line(self) -> str:
        """Who said it, its number, when, and what; "" where nothing of it can be seen.

        Further lines are indented, so none begins as another turn's does. Markup of chats and the
        marks around a transcript are inert.
        """
        body = self._body
        return "" if is_blank(body) else f"{_head(self.turn)}: {body}"

    @property
    def source(self) -> str:
        """What can be known of it alone: who said it, on which day, and what.

        Neither its number nor the time of that day is something that it says.
        """
        day = _minute(self.turn.ts)[:_DAY]
        return "\n".join(filter(None, (_who(self.turn), day, self._body)))

    @property
    def _body(self) -> str:
        body = _INDENT.join(filter(None, map(one_line, _LINE_ENDS.split(self._text))))
        return _FRAME.sub("&lt;", body)

    @property
    def _text(self) -> str:
        parts: list[str] = []
        for number, (begin, end) in enumerate(self.parts):
            parts += [LEFT_OUT] if number == self.cut_before else []
            parts.append(self.turn.text[begin:end])
        if self.cut_before == len(self.parts):
            parts.append(LEFT_OUT)
        return " ".join(parts)

    def shortened(self, max_chars: int) -> "ShownTurn":
        """Return the turn with at most so many characters of its text: its beginning and its end.

        It is cut between words.
        """
        if sum(end - begin for begin, end in self.parts) <= max_chars:
            return self
        half = max_chars // 2
        head = _whole_end(self.turn.text, list(_first(self.parts, max_chars - half)))
        tail = _whole_begin(self.turn.text, [*_last(self.parts, half)][::-1])
        return replace(self, parts=(*head, *tail), cut_before=len(head))


def shown_turns(turns: Iterable[Turn]) -> tuple[ShownTurn, ...]:
    """Return the turns of which anything can be seen: no tool calls alone, nothing redacted."""
    shown = (ShownTurn(turn, tuple(outside_recalled(turn.text))) for turn in turns)
    return tuple(one for one in shown if not one.turn.value.get("redacted") and _is_seen(one))


def _is_seen(one: ShownTurn) -> bool:
    # Of a huge text the first words tell it, and only one without any is read to its end.
    start = ShownTurn(one.turn, tuple(_first(one.parts, _LONGEST_WORD)))
    return bool(start.line or one.line)


def _head(turn: Turn) -> str:
    return " ".join(filter(None, (_who(turn), f"#{turn.index}", _minute(turn.ts))))


def _who(turn: Turn) -> str:
    role = _speaker(turn.role) or "speaker"
    if is_of_user(turn):
        role = "user"
    elif role.lower() in _USERS:
        role = "tool"
    elif is_of_assistant(turn):
        role = "assistant"
    name = turn.value.get("name")
    named = _speaker(name) if isinstance(name, str) else ""
    return f"{role} ({named})" if named else role


def _speaker(name: str) -> str:
    """Return a name that ends no head and begins none."""
    return one_line(_FRAME.sub(" ", _OF_HEADS.sub(" ", name)))[:_MAX_SPEAKER_CHARS].strip()


def _minute(ts: str | None) -> str:
    time_ns = None if ts is None else parse_time(ts)
    return "" if time_ns is None else f"{format_time(time_ns)[:_MINUTES]}Z"


def _first(parts: Iterable[Span], chars: int) -> Iterator[Span]:
    for begin, end in parts:
        if chars <= 0:
            return
        yield begin, min(end, begin + chars)
        chars -= end - begin


def _last(parts: tuple[Span, ...], chars: int) -> Iterator[Span]:
    for begin, end in reversed(parts):
        if chars <= 0:
            return
        yield max(begin, end - chars), end
        chars -= end - begin


def _whole_end(text: str, parts: list[Span]) -> list[Span]:
    """Return parts of which the last one ends between two words."""
    if not parts:
        return parts
    begin, end = parts[-1]
    near = text[max(begin, end - _LONGEST_WORD) : end]
    begun = _LAST_RUN.search(near)
    partial = len(begun[0]) if begun and _is_inside_word(text, end) else 0
    return [*parts[:-1], (begin, end if partial == _LONGEST_WORD else end - partial)]


def _whole_begin(text: str, parts: list[Span]) -> list[Span]:
    """Return parts of which the first one begins between two words."""
    if not parts:
        return parts
    begin, end = parts[0]
    near = text[begin : min(end, begin + _LONGEST_WORD)]
    begun = _FIRST_RUN.match(near)
    partial = len(begun[0]) if begun and _is_inside_word(text, begin) else 0
    return [(begin if partial == _LONGEST_WORD else begin + partial, end), *parts[1:]]


def _is_inside_word(text: str, at: int) -> bool:
    around = text[max(0, at - 1) : at + 1]
    return len(around) > 1 and not any(map(str.isspace, around))
