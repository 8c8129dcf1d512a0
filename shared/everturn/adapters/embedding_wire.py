"""What an embedding service on the network must be able to do, and how it says no.

Not here: batches and retries (remote_embedder.py), any one service's format.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from everturn.errors import EverturnError, UnavailableError
from everturn.ports.embedder import Purpose


@dataclass(frozen=True, slots=True)
class WireLimits:
    """What one request may hold, in UTF-8, and how many requests may be on their way at once.

    `max_batch` is what one call of the embedder may hold; more than `max_texts` of them are sent
    in several requests.
    """

    max_batch: int
    max_texts: int
    max_text_bytes: int
    max_request_bytes: int
    at_once: int = 1


class TextsRefusedError(EverturnError):
    """The service does not take one of these texts; others may pass. Never leaves an embedder."""


class BusyError(UnavailableError):
    """The service asks to be left alone for `after_s` seconds."""

    def __init__(self, message: str, *, after_s: float) -> None:
        """Keep the message and the wait."""
        super().__init__(message)
        self.after_s = after_s


class EmbeddingWire(Protocol):
    """One service and model: one call is one request, without retries; safe under threads."""

    @property
    def limits(self) -> WireLimits:
        """What a request may hold."""
        ...

    def ask(
        self, texts: Sequence[str], *, purpose: Purpose, timeout_s: float
    ) -> Mapping[int, object]:
        """Return what the service answered for each text, by its number in `texts`.

        Numbers may be missing or foreign, and answers of any shape: who asks checks them.

        Raises:
            TextsRefusedError: a text, or the number of them, is not taken.
            UnavailableError: no usable answer within `timeout_s`; a BusyError says when there is.
            MisconfiguredError: there never will be one.
        """
        ...
