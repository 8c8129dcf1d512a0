"""The door to a chat model: one prompt in, one text out."""

from dataclasses import dataclass
from typing import Final, Protocol

REFUSED: Final = "refused"
"""Why an answer ended that never began: this very prompt was not taken."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked: instructions, what they are about, and how long it may answer."""

    system: str
    user: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered, "" where it said nothing.

    `finish_reason` says why it ended, as the service writes it. `tokens` were read and written, as
    the service counts them, else estimated at four bytes a token.
    """

    text: str
    finish_reason: str | None
    tokens: int


class ChatModel(Protocol):
    """One model of one service; safe under threads, and keeps nothing that it was sent."""

    @property
    def name(self) -> str:
        """What a person calls it: the service and the model, such as `gateway:small`."""
        ...

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        """Ask once, as often as it takes within the time; sampled as little as the model allows.

        Args:
            prompt: neither text blank; `max_tokens` above 0.
            timeout_s: the call ends within so many seconds, whatever the service does.

        Returns:
            The answer. A prompt that is refused for itself, such as one that is too long or that a
            filter stops, is answered by no text and the reason `refused`.

        Raises:
            UnavailableError: nobody answered in time; the same call may succeed later.
            MisconfiguredError: nobody ever will: no such model, or no permission.
        """
        ...
