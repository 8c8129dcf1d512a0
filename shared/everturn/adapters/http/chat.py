"""The chat completions of OpenAI's API, as most gateways and providers speak it, over httpx.

https://platform.openai.com/docs/api-reference/chat/create
"""

from collections.abc import Sequence
from typing import Final

import httpx

from everturn.adapters.http.chat_completion import completion_of, read_json
from everturn.adapters.http.chat_errors import JSON_MODE, LIMIT, TEMPERATURE, chat_error
from everturn.adapters.http.optional_parameters import OptionalParts
from everturn.adapters.http.post import open_client, post_json
from everturn.adapters.http.service_retries import Tries
from everturn.ports.chat_model import Completion, Prompt
from everturn.ports.clock import Clock, Entropy
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
