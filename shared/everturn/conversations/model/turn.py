"""A turn as a caller sends it, as it is stored, and as it is read.

The text of a message content is read in the shapes of OpenAI, Anthropic and Bedrock.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from everturn.errors import InvalidRequestError, TooLargeError
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.timestamps import NANOSECONDS, format_time, parse_time
from everturn.values.visible_text import is_blank

MAX_TURN_BYTES = 1_048_576
MAX_METADATA_BYTES = 16_384
MAX_ROLE_CHARS = 64
MAX_NAME_CHARS = 256
# Deeper nesting is no message of any framework, and Python's JSON reader would give up on it.
_MAX_DEPTH = 64
# 1970-01-01 and 2101-01-01: what is outside is a unit mistaken, not a time.
_FIRST_TIME_NS, END_TIME_NS = 0, 4_133_980_800 * NANOSECONDS
# A clock may be this far ahead of ours before its time is replaced by ours.
_MAX_AHEAD_NS = 300 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class TurnDraft:
    """A turn as sent: unnumbered, perhaps without a time."""

    role: str
    text: str | None = None
    intent_id: str | None = None
    ts: str | None = None
    name: str | None = None
    content: JsonValue = None
    metadata: JsonObject | None = None

    @property
    def is_blank(self) -> bool:
        """Whether text and content are both empty."""
        return is_blank(self.text or "") and is_empty_content(self.content)

    def value(self, ts: str | None) -> JsonObject:
        """Return the stored object: Go's fields in Go's order, then ours where given."""
        text = text_of_content(self.content) if self.text is None else self.text
        value: JsonObject = {"role": self.role, "text": text}
        if self.intent_id:
            value["intent_id"] = self.intent_id
        if ts is not None:
            value["ts"] = ts
        if self.name:
            value["name"] = self.name
        if self.content is not None:
            value["content"] = self.content
        if self.metadata is not None:
            value["metadata"] = self.metadata
        return value


@dataclass(frozen=True, slots=True)
class EncodedTurns:
    """A request's turns, fixed once: their bytes and times do not change between attempts."""

    encoded: tuple[bytes, ...]
    as_sent: bytes
    newest_ns: int
    ignored: int
    clamped: int


def encode_turns(drafts: Sequence[TurnDraft], *, now_ns: int) -> EncodedTurns:
    """Check and encode the turns that are not blank; a missing time is `now_ns`.

    Raises:
        InvalidRequestError: a field is not what it must be; `field` says `turns.{i}.{name}`.
        TooLargeError: a turn is above 1 MiB.
    """
    encoded: list[bytes] = []
    newest_ns = clamped = 0
    for index, draft in enumerate(drafts):
        _check(draft, f"turns.{index}")
        sent_ns = _sent_time(draft, f"turns.{index}.ts")
        if draft.is_blank:
            continue
        ahead = sent_ns is not None and sent_ns > now_ns + _MAX_AHEAD_NS
        ts_ns = now_ns if sent_ns is None or ahead else sent_ns
        clamped, newest_ns = clamped + ahead, max(newest_ns, ts_ns)
        encoded.append(_encode(draft, ts_ns, f"turns.{index}"))
    as_sent = dumps([draft.value(draft.ts) for draft in drafts]).encode()
    return EncodedTurns(tuple(encoded), as_sent, newest_ns, len(drafts) - len(encoded), clamped)


def _encode(draft: TurnDraft, ts_ns: int, field: str) -> bytes:
    turn = dumps(draft.value(format_time(ts_ns))).encode()
    if len(turn) > MAX_TURN_BYTES:
        raise TooLargeError(f"a turn is too large max_bytes={MAX_TURN_BYTES}", field=field)
    return turn


def _check(draft: TurnDraft, path: str) -> None:
    if is_blank(draft.role) or len(draft.role) > MAX_ROLE_CHARS:
        raise InvalidRequestError(
            f"a role is not blank and at most {MAX_ROLE_CHARS} characters", field=f"{path}.role"
        )
    if draft.text is None and draft.content is None:
        raise InvalidRequestError("a turn has a text or a content", field=f"{path}.text")
    for name in ("name", "intent_id"):
        if len(getattr(draft, name) or "") > MAX_NAME_CHARS:
            raise InvalidRequestError(
                f"at most {MAX_NAME_CHARS} characters", field=f"{path}.{name}"
            )
    check_depth(draft.content, field=f"{path}.content")
    check_metadata(draft.metadata, field=f"{path}.metadata")


def _sent_time(draft: TurnDraft, field: str) -> int | None:
    if draft.ts is None:
        return None
    ts_ns = parse_time(draft.ts)
    if ts_ns is None or not _FIRST_TIME_NS <= ts_ns < END_TIME_NS:
        raise InvalidRequestError("a time is RFC 3339, of the years 1970 to 2100", field=field)
    return ts_ns


def check_metadata(metadata: JsonObject | None, *, field: str) -> None:
    """Refuse metadata above 16 KB or nested too deeply.

    Raises:
        InvalidRequestError: it is.
    """
    check_depth(metadata, field=field)
    if metadata is not None and len(dumps(metadata).encode()) > MAX_METADATA_BYTES:
        raise InvalidRequestError(
            f"metadata is too large max_bytes={MAX_METADATA_BYTES}", field=field
        )


def check_depth(value: JsonValue, *, field: str) -> None:
    """Refuse a value nested deeper than any message is, or with a number that JSON cannot say.

    Raises:
        InvalidRequestError: it is nested deeper than 64 levels, or a number is no finite double.
    """
    level: list[JsonValue] = [value]
    for _ in range(_MAX_DEPTH):
        if any(isinstance(inner, float) and not isfinite(inner) for inner in level):
            raise InvalidRequestError("a number is out of range", field=field)
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return
    raise InvalidRequestError(f"nested too deeply max_depth={_MAX_DEPTH}", field=field)


def _children(value: JsonValue) -> Sequence[JsonValue]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A readable stored turn with its number; `ts` as stored, None where the file has none."""

    index: int
    role: str
    text: str
    ts: str | None
    value: JsonObject


def readable_turn(index: int, value: JsonValue) -> Turn | None:
    """Return the turn of a stored value; None where a foreign program left role or text out."""
    if not isinstance(value, dict):
        return None
    role, text, ts = value.get("role"), value.get("text"), value.get("ts")
    if not isinstance(role, str) or not isinstance(text, str):
        return None
    return Turn(index, role, text, ts if isinstance(ts, str) else None, value)


# Part types whose `text` was written by or for a person. A part without a type is Bedrock's.
# https://platform.openai.com/docs/api-reference/chat  https://docs.anthropic.com/en/api/messages
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
_TEXT_TYPES = frozenset({None, "text", "input_text", "output_text"})
# Where a part or a whole message keeps further parts.
_NESTED = ("content", "toolResult")
# Parts whose content is data or an address, never prose.
_MEDIA_TYPES = frozenset({
    "audio", "document", "file", "image", "image_url", "input_audio", "input_file", "input_image",
    "media", "video",
})  # fmt: skip


def text_of_content(content: JsonValue) -> str:
    """Return the content itself where it is a string, else its text parts joined by newlines.

    Images, audio and documents (base64) never become text.
    """
    return "\n".join(_text_parts(content))


def _text_parts(content: JsonValue) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from _text_parts(part)
    elif isinstance(content, dict):
        text = content.get("text")
        if isinstance(text, str) and _has_type(content, _TEXT_TYPES):
            yield text
        if not _has_type(content, _MEDIA_TYPES):
            for key in _NESTED:
                yield from _text_parts(content.get(key))


def _has_type(part: JsonObject, types: Collection[str | None]) -> bool:
    kind = part.get("type")
    return (kind is None or isinstance(kind, str)) and kind in types


def is_empty_content(content: JsonValue) -> bool:
    """Say whether a content holds nothing: no parts, or parts of blank text alone."""
    if isinstance(content, str):
        return is_blank(content)
    if isinstance(content, list):
        return all(map(is_empty_content, content))
    if isinstance(content, dict):
        return not content or (
            set(content) <= {"type", "text"}
            and _has_type(content, _TEXT_TYPES)
            and is_empty_content(content.get("text"))
        )
    return content is None


def opens_inside_tool_exchange(role: str, content: JsonValue) -> bool:
    """Say whether a turn answers a tool call, so that the call must stand before it."""
    parts = content if isinstance(content, list) else []
    return role in {"tool", "function"} or any(map(_is_tool_result, parts))


def holds_tool_results_alone(content: JsonValue) -> bool:
    """Say whether a content brings back results of tools, and nothing that a person said."""
    return isinstance(content, list) and bool(content) and all(map(_is_tool_result, content))


def _is_tool_result(part: JsonValue) -> bool:
    return isinstance(part, dict) and (part.get("type") == "tool_result" or "toolResult" in part)
