"""A model for Strands agents that says what it was told to say."""

import json
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel
from strands.models import Model
from strands.types.content import Messages
from strands.types.exceptions import ContextWindowOverflowException

_OutputT = TypeVar("_OutputT", bound=BaseModel)

Blocks = list[dict[str, Any]]


class Overflow:
    """Say that the messages are too long."""


class Guarded:
    """Have what the user said replaced, as a guardrail does, and say something instead."""

    def __init__(self, user_text: str, answer: str) -> None:
        self.user_text, self.answer = user_text, answer


def called(name: str, tool_use_id: str, **arguments: Any) -> Blocks:  # noqa: ANN401 - any JSON
    """Blocks in which a model calls a tool."""
    return [{"toolUse": {"name": name, "toolUseId": tool_use_id, "input": arguments}}]


class ScriptedModel(Model):
    """Says its answers one after the other, the last for ever; `seen` are the messages it got."""

    def __init__(self, *answers: str | Blocks | Guarded | Overflow) -> None:
        self._answers = list(answers or ("Yes.",))
        self.seen: list[Messages] = []

    def update_config(self, **_: object) -> None:
        """There is nothing to set."""

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(
        self, output_model: type[_OutputT], prompt: Messages, system_prompt: str | None = None,
        **_: object,
    ) -> AsyncGenerator[dict[str, _OutputT | Any], None]:  # fmt: skip
        raise NotImplementedError

    async def _stream(self, messages: Messages) -> AsyncGenerator[Any, None]:
        self.seen.append(json.loads(json.dumps(messages, default=repr)))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Overflow):
            raise ContextWindowOverflowException("too long")
        for event in _events(answer):
            yield event

    def stream(self, messages: Messages, *_: object, **__: object) -> AsyncIterable[Any]:
        return self._stream(messages)


def _events(answer: str | Blocks | Guarded) -> Iterator[dict[str, Any]]:
    yield {"messageStart": {"role": "assistant"}}
    stop = "end_turn"
    if isinstance(answer, Guarded):
        yield {"redactContent": {"redactUserContentMessage": answer.user_text}}
        stop, answer = "guardrail_intervened", answer.answer
    for block in [{"text": answer}] if isinstance(answer, str) else answer:
        if "toolUse" in block:
            stop = "tool_use"
        yield from _block_events(block)
    yield {"messageStop": {"stopReason": stop}}


def _block_events(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    use = block.get("toolUse")
    start = {"toolUse": {name: use[name] for name in ("name", "toolUseId")}} if use else {}
    delta = {"toolUse": {"input": json.dumps(use["input"])}} if use else dict(block)
    yield {"contentBlockStart": {"start": start}}
    yield {"contentBlockDelta": {"delta": delta}}
    yield {"contentBlockStop": {}}


def texts(messages: Sequence[Any]) -> list[str]:
    """All texts of messages, in order."""
    return [block["text"] for one in messages for block in one["content"] if "text" in block]
