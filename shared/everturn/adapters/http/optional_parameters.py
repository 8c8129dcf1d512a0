"""The parts of a chat request that not every model takes, learnt from what a model refuses."""

from collections.abc import Callable, Iterator
from typing import Final

from everturn.adapters.http.service_retries import TextsRefusedError
from everturn.ports.chat_model import REFUSED, Completion


class PartsRefusedError(TextsRefusedError):
    """A request is refused, for its texts or for other parts: `parts` are those that it names."""

    def __init__(self, message: str, *, parts: tuple[str, ...]) -> None:
        """Keep the message and the names."""
        super().__init__(message)
        self.parts = parts


class OptionalParts:
    """What one model is asked without, for as long as the process lives; safe under threads.

    A part is left out for good only where a request was refused with it and answered without it:
    a refusal may quote the texts, and so name anything.
    """

    def __init__(self, *, doubtful: str | None = None) -> None:
        """Send every part at first.

        `doubtful` is suspected where a refusal names nothing and no request was answered yet.
        """
        self._doubtful: Final = doubtful
        self._left_out: frozenset[str] = frozenset()
        self._is_answered = False

    def completion(self, once: Callable[[frozenset[str]], Completion]) -> Completion:
        """Return what `once(left_out)` returns; a prompt that is refused for itself is no error."""
        left_out = self._left_out
        while True:
            try:
                completion = once(left_out)
            except PartsRefusedError as exc:
                part = next((part for part in self._suspects(exc) if part not in left_out), None)
                if part is None:
                    return Completion("", REFUSED, 0)
                left_out |= {part}
            except TextsRefusedError:
                return Completion("", REFUSED, 0)
            else:
                self._left_out |= left_out
                self._is_answered = True
                return completion

    def _suspects(self, refused: PartsRefusedError) -> Iterator[str]:
        yield from refused.parts
        if self._doubtful is not None and not self._is_answered:
            yield self._doubtful
