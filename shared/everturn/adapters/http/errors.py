"""Map what goes wrong with a model service over HTTP to Everturn's errors.

One table has the statuses and httpx's exceptions. The other has the codes of errors in the body of
a chat response.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import httpx

from everturn.adapters.http.optional_parameters import PartsRefusedError
from everturn.adapters.http.service_retries import BusyError, TextsRefusedError
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

FOREIGN_ERRORS: Final = (httpx.HTTPError, httpx.InvalidURL)
"""All that sending a request and reading its answer raise."""

# Looked up by status, then its family; or by the class of the failure, then the classes above it.
# https://www.rfc-editor.org/rfc/rfc9110#section-15
ANSWERS: Final[Mapping[str | type[Exception], type[EverturnError]]] = MappingProxyType(
    {
        "400": TextsRefusedError,  # too long for the model, as a rule
        "408": UnavailableError,
        "409": UnavailableError,
        "413": TextsRefusedError,
        "422": TextsRefusedError,
        "425": UnavailableError,
        "429": UnavailableError,
        "501": MisconfiguredError,
        "1xx": UnavailableError,
        "2xx": UnavailableError,  # without a body to read
        "3xx": MisconfiguredError,  # a text goes to the address that was named, to no other
        "4xx": MisconfiguredError,
        "5xx": UnavailableError,
        httpx.UnsupportedProtocol: MisconfiguredError,
        httpx.InvalidURL: MisconfiguredError,
        httpx.HTTPError: UnavailableError,
    }
)


def status_error(status: int, *, after_s: float | None = None) -> EverturnError:
    """Return what to raise for an answer; `after_s` is the pause that it asks for."""
    names = (str(status), f"{status // 100}xx")
    # A status that no standard knows says nothing: another try may get another.
    raised = next((ANSWERS[name] for name in names if name in ANSWERS), UnavailableError)
    message = f"it answered with an error status={status}"
    if raised is UnavailableError and after_s is not None:
        return BusyError(message, after_s=after_s)
    return raised(message)


def failure_error(exc: Exception) -> EverturnError:
    """Return what to raise for one of `FOREIGN_ERRORS`; the message holds no address and no key."""
    raised = next(ANSWERS[kind] for kind in type(exc).__mro__ if kind in ANSWERS)
    if isinstance(exc, httpx.TimeoutException):
        return raised("no answer in time")
    return raised(f"it cannot be reached error={type(exc).__name__}")


@contextmanager
def translated() -> Iterator[None]:
    """Raise one of our errors for whatever httpx raises in the block."""
    try:
        yield
    except FOREIGN_ERRORS as exc:
        raise failure_error(exc) from exc


JSON_MODE: Final = "response_format"
LIMIT: Final = "max_tokens"
TEMPERATURE: Final = "temperature"

# The `code` or `type` of an error, in lower case, as OpenAI, Azure, Mistral, OpenRouter and LiteLLM
# write it. What stands here is known to be no fault of a part of the request.
# https://platform.openai.com/docs/guides/error-codes
# https://learn.microsoft.com/en-us/azure/ai-foundry/openai/concepts/content-filter
# https://openrouter.ai/docs/api/reference/errors-and-debugging
# https://docs.litellm.ai/docs/exception_mapping
CODES: Final[Mapping[str, type[EverturnError]]] = MappingProxyType(
    {
        "content_filter": TextsRefusedError,
        "content_policy_violation": TextsRefusedError,
        "context_length_exceeded": TextsRefusedError,
        "invalid_prompt": TextsRefusedError,
        "string_above_max_length": TextsRefusedError,
        "invalid_api_key": MisconfiguredError,
        "invalid_model": MisconfiguredError,
        "model_not_found": MisconfiguredError,
        "budget_exceeded": UnavailableError,  # a 400
    }
)

_MAY_NAME_A_PART: Final = frozenset({400, 422})
# How parts are named, maybe as part of a path: `response_format.type`, `body -> max_tokens`.
_PARTS = re.compile(r"\b(response_format|max_tokens|temperature)\b")
# Nobody needs more of an error than its first sentences.
_MOST_CHARS: Final = 4_096


def chat_error(status: int, document: object, *, after_s: float | None = None) -> EverturnError:
    """Return what to raise for an error; nothing of what it quotes is in the message.

    Args:
        status: that of the answer, or the one that stands in its body; 0 for none.
        document: the error as JSON, or None where it is none.
        after_s: the pause that the answer asks for.
    """
    known = next((name for name in _names(document) if name in CODES), None)
    if known is not None:
        return CODES[known](f"it answered with an error status={status} code={known}")
    error = status_error(status, after_s=after_s)
    if isinstance(error, TextsRefusedError) and status in _MAY_NAME_A_PART:
        return PartsRefusedError(error.message, parts=_named_parts(document))
    return error


def status_within(error: object) -> int:
    """Return the status that stands in an error's body, 0 if none does."""
    code = str(error.get("code")) if isinstance(error, dict) else ""
    return int(code) if re.fullmatch("[45][0-9]{2}", code) else 0


def _names(document: object) -> Iterator[str]:
    error = document.get("error", document) if isinstance(document, dict) else None
    if not isinstance(error, dict):
        return
    yield from (str(error.get(name)).lower() for name in ("code", "type"))
    # OpenRouter's filter answers 403, with no code of its own.
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and "flagged_input" in metadata:
        yield "content_filter"


def _named_parts(document: object) -> tuple[str, ...]:
    """Return the parts that an error names, the one that it points at first."""
    error = document.get("error", document) if isinstance(document, dict) else document
    param = error.get("param") if isinstance(error, dict) else None
    named = _PARTS.findall(f"{param} {str(document)[:_MOST_CHARS]}")
    return tuple(dict.fromkeys(named))
