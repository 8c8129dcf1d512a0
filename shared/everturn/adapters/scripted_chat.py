"""A chat model that answers what it was told to: for tests and examples."""

import threading
from collections.abc import Callable, Iterable
from typing import TypeAlias

from everturn.errors import EverturnError, UnavailableError
from everturn.ports.chat_model import Completion, Prompt
from everturn.values.token_estimate import count_tokens

Scripted: TypeAlias = str | Completion | EverturnError
"""A text that ends by itself, a whole answer, or what to raise."""


class ScriptedChat:
    """Answers in order, or by a function of the prompt; `prompts` are what it was asked.

    After the last of its answers it is not available.
    """

    def __init__(
        self,
        answers: Iterable[Scripted] | Callable[[Prompt], Scripted],
        *,
        name: str = "scripted:model",
    ) -> None:
        """Keep the script."""
        self.name = name
        self.prompts: list[Prompt] = []
        self._by_prompt = answers if callable(answers) else None
        self._in_order = iter(() if callable(answers) else answers)
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.prompts)

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        """Return the next answer at once; see ports/chat_model.py."""
        del timeout_s
        with self._lock:
            self.prompts.append(prompt)
            answer = self._by_prompt(prompt) if self._by_prompt else self._next()
        if isinstance(answer, EverturnError):
            raise answer
        if isinstance(answer, Completion):
            return answer
        tokens = sum(map(count_tokens, (prompt.system, prompt.user, answer)))
        return Completion(answer, "stop", tokens)

    def _next(self) -> Scripted:
        return next(self._in_order, UnavailableError("its script is at its end"))
