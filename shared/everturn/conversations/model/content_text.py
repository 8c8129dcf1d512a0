"""The text inside a framework's message content: OpenAI, Anthropic and Bedrock shapes."""

from collections.abc import Collection, Iterator

from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.visible_text import is_blank

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
