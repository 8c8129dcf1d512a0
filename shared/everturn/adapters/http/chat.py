"""Ask a model over OpenAI's chat completions API, which most gateways and providers speak.

The request: https://platform.openai.com/docs/api-reference/chat/create
The response, whichever server writes it: https://platform.openai.com/docs/api-reference/chat/object
"""

import json
from collections.abc import Sequence
from typing import Final

import httpx

from everturn.adapters.http.errors import JSON_MODE, LIMIT, TEMPERATURE, chat_error, status_within
from everturn.adapters.http.optional_parameters import OptionalParts
from everturn.adapters.http.post import open_client, post_json
from everturn.adapters.http.service_retries import Tries
from everturn.errors import UnavailableError
from everturn.ports.chat_model import REFUSED, Completion, Prompt
from everturn.ports.clock import Clock, Entropy
from everturn.values.token_estimate import count_tokens
from everturn.values.visible_text import well_formed

# Of the time of a call, so that a connection that hangs leaves time for another; a slow model takes
# most of it.
_TRY_SHARE: Final = 2 / 3
# Some 16,000 tokens of thinking and answering are 64 KB; this is their JSON many times over.
_MAX_ANSWER_BYTES: Final = 4_194_304
# Whose body says more than the status.
_WANTED: Final = frozenset({200, 400, 403, 404, 413, 422})


class HttpChat:
    """`POST {url}/chat/completions` for one model; redirects are not followed."""

    def __init__(
        self,
        client: httpx.Client,
        *,
        url: str,
        service: str,
        model: str,
        clock: Clock,
        entropy: Entropy,
    ) -> None:
        """Send to the address below `url` that is named `chat/completions`."""
        self.name: Final = f"{service}:{model}"
        self._client = client
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._clock = clock
        self._entropy = entropy
        # Servers of one's own refuse it without a word about it.
        self._parts = OptionalParts(doubtful=JSON_MODE)

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        """Ask once, as often as it takes within the time; see ports/chat_model.py."""
        tries = Tries(
            clock=self._clock,
            entropy=self._entropy,
            deadline_s=timeout_s,
            try_s=timeout_s * _TRY_SHARE,
            max_wait_s=timeout_s,
        )
        return self._parts.completion(
            lambda left_out: tries.ask(lambda try_s: self._asked(prompt, left_out, try_s))
        )

    def _asked(self, prompt: Prompt, left_out: frozenset[str], timeout_s: float) -> Completion:
        answer = post_json(
            self._client,
            self._url,
            request_of(self._model, prompt, left_out),
            clock=self._clock,
            timeout_s=timeout_s,
            max_bytes=_MAX_ANSWER_BYTES,
            wanted=_WANTED,
        )
        if answer.status == httpx.codes.OK:
            return completion_of(answer.body, prompt)
        raise chat_error(answer.status, read_json(answer.body), after_s=answer.after_s)


def request_of(model: str, prompt: Prompt, left_out: frozenset[str]) -> dict[str, object]:
    """Return the request for a prompt, without the parts that a model does not take."""
    # What OpenAI's newer models call it. https://platform.openai.com/docs/api-reference/chat/create
    limit = "max_completion_tokens" if LIMIT in left_out else LIMIT
    asked: dict[str, object] = {
        "model": model,
        "messages": [
            {"role": "system", "content": well_formed(prompt.system)},
            {"role": "user", "content": well_formed(prompt.user)},
        ],
        limit: prompt.max_tokens,
    }
    if TEMPERATURE not in left_out:
        asked[TEMPERATURE] = 0
    if JSON_MODE not in left_out:
        asked[JSON_MODE] = {"type": "json_object"}
    return asked


def open_http_chat(
    *,
    url: str,
    key: str,
    headers: Sequence[tuple[str, str]],
    service: str,
    model: str,
    clock: Clock,
    entropy: Entropy,
    transport: httpx.BaseTransport | None = None,
) -> HttpChat:
    """Return a model at an address that ends before `/chat/completions`, not asked yet.

    Args:
        url: an `http` or `https` address without credentials.
        key: sent as a bearer token; "" sends none.
        headers: sent with each request beside it, for a gateway's metering.
        service: what a person calls the address, such as `gateway`.
        model: the service's name of the model.
        clock: for the deadlines.
        entropy: for the waits.
        transport: what carries the requests; httpx's own if None.
    """
    client = open_client(key=key, headers=headers, transport=transport)
    return HttpChat(client, url=url, service=service, model=model, clock=clock, entropy=entropy)


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
        EverturnError: the body holds an error, see errors.py.
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
