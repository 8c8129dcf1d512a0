"""The chat models of Amazon Bedrock, through Converse, which is the same for all of them.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

import re
import threading
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from everturn.adapters.aws.bedrock_client import make_client
from everturn.adapters.aws.errors import bedrock_errors
from everturn.adapters.http.optional_parameters import OptionalParts, PartsRefusedError
from everturn.adapters.http.service_retries import TextsRefusedError, Tries, in_time
from everturn.errors import EverturnError, MisconfiguredError
from everturn.ports.chat_model import REFUSED, Completion, Prompt
from everturn.ports.clock import Clock, Entropy
from everturn.values.token_estimate import count_tokens
from everturn.values.visible_text import well_formed

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from mypy_boto3_bedrock_runtime.type_defs import ConverseResponseTypeDef

# Longer than anybody waits for a model: each call has its own end.
_READ_S: Final = 60
_AT_ONCE: Final = 4
_TRY_SHARE: Final = 2 / 3

# What a refusal says of a part that a model does not take, or of a model that there is not.
# https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html
# https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
SYSTEM: Final = "system"
TEMPERATURE: Final = "temperature"
_PARTS: Final = {
    SYSTEM: re.compile(r"support system (?:messages|prompt)", re.IGNORECASE),
    TEMPERATURE: re.compile(r"\btemperature\b", re.IGNORECASE),
}
_NO_MODEL = re.compile(r"model identifier is invalid|on-demand throughput isn.t supported")
# Why an answer has no text where a filter stopped the prompt.
_FILTERED: Final = frozenset({"content_filtered", "guardrail_intervened"})


class BedrockChat:
    """One model by its id, or by the id or ARN of an inference profile."""

    def __init__(
        self,
        model: str,
        *,
        clock: Clock,
        entropy: Entropy,
        client: "BedrockRuntimeClient | None" = None,
    ) -> None:
        """Ask this model through a client; None makes one when it is asked first."""
        self.name: Final = f"bedrock:{model}"
        self._model = model
        self._clock = clock
        self._entropy = entropy
        self._made = client
        self._making = threading.Lock()
        self._parts = OptionalParts()

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        """Ask once, as often as it takes within the time; see ports/chat_model.py."""
        tries = Tries(
            clock=self._clock,
            entropy=self._entropy,
            deadline_s=timeout_s,
            try_s=timeout_s * _TRY_SHARE,
            max_wait_s=timeout_s,
        )
        # botocore knows no deadline.
        return self._parts.completion(
            lambda left_out: tries.ask(
                lambda try_s: in_time(lambda: self._asked(prompt, left_out), try_s)
            )
        )

    def _asked(self, prompt: Prompt, left_out: frozenset[str]) -> Completion:
        client = self._client()
        try:
            with bedrock_errors():
                answer = client.converse(**request_of(self._model, prompt, left_out))
        except TextsRefusedError as exc:
            raise _refused(exc) from exc
        return completion_of(answer, prompt)

    def _client(self) -> "BedrockRuntimeClient":
        with self._making:
            self._made = self._made or make_client(read_s=_READ_S, at_once=_AT_ONCE)
            return self._made


def request_of(model: str, prompt: Prompt, left_out: frozenset[str]) -> dict[str, Any]:
    """Return the arguments of Converse for a prompt, without the parts that a model refuses."""
    system, user = well_formed(prompt.system), well_formed(prompt.user)
    if SYSTEM in left_out:
        user = f"{system}\n\n{user}"
    inference: dict[str, object] = {"maxTokens": prompt.max_tokens}
    if TEMPERATURE not in left_out:
        inference["temperature"] = 0
    asked: dict[str, Any] = {
        "modelId": model,
        "messages": [{"role": "user", "content": [{"text": user}]}],
        "inferenceConfig": inference,
    }
    return asked if SYSTEM in left_out else {**asked, "system": [{"text": system}]}


def completion_of(answer: "ConverseResponseTypeDef", prompt: Prompt) -> Completion:
    """Return an answer of Converse: its texts, without what the model thought."""
    blocks = answer.get("output", {}).get("message", {}).get("content", [])
    text = "".join(block.get("text", "") for block in blocks)
    usage = answer.get("usage")
    counted = usage["totalTokens"] if usage else 0
    asked = count_tokens(prompt.system) + count_tokens(prompt.user)
    reason: str | None = answer.get("stopReason")
    if not text.strip() and reason in _FILTERED:
        reason = REFUSED
    return Completion(text, reason, counted or asked + count_tokens(text))


def _refused(refused: TextsRefusedError) -> EverturnError:
    """Return what a refusal says beyond that it is one; the message holds nothing of a text."""
    cause = refused.__cause__
    said = cause.response["Error"].get("Message", "") if isinstance(cause, ClientError) else ""
    if _NO_MODEL.search(said):
        return MisconfiguredError(refused.message)
    named = tuple(part for part, pattern in _PARTS.items() if pattern.search(said))
    return PartsRefusedError(refused.message, parts=named)
