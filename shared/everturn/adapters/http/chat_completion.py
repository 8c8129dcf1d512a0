"""The answer of OpenAI's chat completions as a Completion, whoever writes it.

https://platform.openai.com/docs/api-reference/chat/object
"""

import json
from typing import Final

from everturn.adapters.http.chat_errors import chat_error, status_within
from everturn.errors import UnavailableError
from everturn.ports.chat_model import REFUSED, Completion, Prompt
from everturn.values.token_estimate import count_tokens

_OK: Final = 200
_FILTERED: Final = "content_filter"
_FAILED: Final = "error"
_MOST_TOKENS: Final = 10_000_000


def read_json(body: bytes) -> object:
    """Return a body as JSON, None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def completion_of(body: bytes, prompt: Prompt) -> Completion:
    """Return the answer in a body.

    An answer that has no text, such as one that ends while the model thinks, is one all the same.

    Raises:
        EverturnError: the body holds an error, see chat_errors.py.
        UnavailableError: it is not what the API describes.
    """
    document = read_json(body)
    if not isinstance(document, dict):
        raise UnavailableError("its answer is no json object")
    _check_error(document.get("error"))
    choices = document.get("choices")
    if not isinstance(choices, list):
        raise UnavailableError("its answer holds no choices")
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    text = text_of(choice)
    finish_reason = _finish_reason(choice, text)
    return Completion(text, finish_reason, tokens_of(document.get("usage"), prompt, text))


def text_of(choice: dict[str, object]) -> str:
    """Return what a choice says: a text, or the texts among its parts; never what it thought."""
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(map(_text_of_part, parts))


def tokens_of(usage: object, prompt: Prompt, text: str) -> int:
    """Return the tokens read and written: as they were counted, else estimated.

    A count of nothing is none: some servers write zeros into every answer.
    """
    counts = usage if isinstance(usage, dict) else {}
    total, read, written = (
        # True is an int too, and a model that reads a library at once does not exist.
        count if type(count := counts.get(name)) is int and 0 < count <= _MOST_TOKENS else 0
        for name in ("total_tokens", "prompt_tokens", "completion_tokens")
    )
    asked = count_tokens(prompt.system) + count_tokens(prompt.user)
    return total or (read and read + written) or asked + count_tokens(text)


def _check_error(error: object) -> None:
    """Raise what an error in an answer means: some gateways say 200 and fail later."""
    if error:
        raise chat_error(status_within(error) or _OK, error)


def _finish_reason(choice: dict[str, object], text: str) -> str | None:
    """Return why a choice ended; without a text, a filter refused the prompt.

    Raises:
        EverturnError: the service behind a gateway failed.
    """
    reason = choice.get("finish_reason")
    reason = reason if isinstance(reason, str) else None
    if text.strip():
        return reason
    if reason == _FAILED or choice.get("error"):
        _check_error(choice.get("error") or reason)
    message = choice.get("message")
    is_refused = isinstance(message, dict) and message.get("refusal")
    return REFUSED if is_refused or reason == _FILTERED else reason


def _text_of_part(part: object) -> str:
    if isinstance(part, str):
        return part
    is_text = isinstance(part, dict) and part.get("type", "text") in {"text", "output_text"}
    text = part.get("text") if is_text and isinstance(part, dict) else None
    return text if isinstance(text, str) else ""
