"""What an embedding service on the network must be able to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from everturn.ports.embedder import Purpose

Answers: TypeAlias = Mapping[int, object]
"""What came back, by number of text."""


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


class EmbeddingWire(Protocol):
    """One service and model: one call is one request, without retries; safe under threads."""

    @property
    def limits(self) -> WireLimits:
        """What a request may hold."""
        ...

    def ask(self, texts: Sequence[str], *, purpose: Purpose, timeout_s: float) -> Answers:
        """Return what the service answered for each text, by its number in `texts`.

        Numbers may be missing or foreign, and answers of any shape: who asks checks them.

        Raises:
            TextsRefusedError: a text, or the number of them, is not taken.
            UnavailableError: no usable answer within `timeout_s`; a BusyError says when there is.
            MisconfiguredError: there never will be one.
        """
        ...
