"""An embedder over any embedding service: packs texts into requests, and handles refusals.

A vector that cannot be used becomes a row of zeros, which is near nothing. So one bad vector of a
model costs one text its meaning, and no text its words.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from everturn.adapters.http.service_retries import TextsRefusedError, Tries
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.embedder import Purpose, Vectors
from everturn.values.visible_text import sent_text

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


# A request of ours ends within 20 s, and may hold two calls: for new turns and for the query.
_CALL_S: Final = 4.0
# A probe stands before somebody's first recall, maybe one per service.
_PROBE_S: Final = 2.5
_PROBE_TEXT: Final = "hello"
# Of the four seconds of a call, so that a connection that hangs leaves time for another.
_TRY_S: Final = 3.0
# Who asks for a longer pause does not get better within this call.
_MAX_WAIT_S: Final = 2.0
# Halving 32 texts down to one bad one takes six refusals; this leaves room for a few.
_MAX_REFUSALS: Final = 24
# A text refused alone may be too long for its model, whose tokens nobody here can count: 24,000
# bytes of a rare script are too many tokens for 8,192, and many small models take 512. A quarter
# each time reaches those in two steps.
_SHORTER_BY: Final = 4
_SHORTEST_CHARS: Final = 200

_Texts = Mapping[int, str]


class RemoteEmbedder:
    """Embeds texts through a wire; a call ends within four seconds and one more answer."""

    semantic: Final = True

    def __init__(
        self, wire: EmbeddingWire, *, model: str, dimensions: int, clock: Clock, entropy: Entropy
    ) -> None:
        """Use a model of known dimensions; `open_remote` asks for them."""
        self.model: Final = model
        self.dimensions: Final = dimensions
        self.max_batch: Final = wire.limits.max_batch
        self._wire = wire
        self._clock = clock
        self._entropy = entropy

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Embed texts in the order given; see ports/embedder.py."""
        longest = self._wire.limits.max_text_bytes
        sent = {n: sent_text(text, max_bytes=longest) for n, text in enumerate(texts)}
        tries = _tries(self._clock, self._entropy, _CALL_S)
        packs = list(self._packs({n: text for n, text in sent.items() if text}))
        answers: dict[int, object] = {}
        for pack in self._all_asked([_Asking(self._wire, tries, purpose) for _ in packs], packs):
            answers |= pack
        return unit_rows(answers, count=len(texts), dimensions=self.dimensions)

    def _packs(self, texts: _Texts) -> Iterator[_Texts]:
        limits = self._wire.limits
        pack: dict[int, str] = {}
        size = 0
        for number, text in texts.items():
            more = len(text.encode())
            if pack and (len(pack) == limits.max_texts or size + more > limits.max_request_bytes):
                yield pack
                pack, size = {}, 0
            pack[number] = text
            size += more
        if pack:
            yield pack

    def _all_asked(self, askings: list["_Asking"], packs: list[_Texts]) -> list[Answers]:
        at_once = min(self._wire.limits.at_once, len(packs))
        if at_once <= 1:
            return [asking.ask(pack) for asking, pack in zip(askings, packs, strict=True)]
        with ThreadPoolExecutor(at_once) as pool:
            asked = [pool.submit(a.ask, pack) for a, pack in zip(askings, packs, strict=True)]
            try:
                return [future.result() for future in asked]
            except (UnavailableError, MisconfiguredError):
                # What has not begun would fail too, each after its own tries.
                pool.shutdown(wait=False, cancel_futures=True)
                raise


class _Asking:
    """The requests for one pack of texts: the pack, and parts of it after a refusal."""

    def __init__(self, wire: EmbeddingWire, tries: Tries, purpose: Purpose) -> None:
        self._wire = wire
        self._tries = tries
        self._purpose = purpose
        self._refusals = 0
        self._takes_texts = False

    def ask(self, texts: _Texts) -> dict[int, object]:
        """Return what came back by number of text, without those that the service refuses."""
        try:
            answers = self._sent(list(texts.values()))
        except TextsRefusedError as exc:
            return self._ask_in_parts(texts, exc)
        self._takes_texts = True
        numbers = list(texts)
        return {numbers[n]: answer for n, answer in answers.items() if 0 <= n < len(numbers)}

    def _sent(self, texts: Sequence[str]) -> Answers:
        def once(timeout_s: float) -> Answers:
            return self._wire.ask(texts, purpose=self._purpose, timeout_s=timeout_s)

        return self._tries.ask(once)

    def _ask_in_parts(self, texts: _Texts, refused: TextsRefusedError) -> dict[int, object]:
        self._refusals += 1
        if self._refusals > _MAX_REFUSALS:
            return {}
        if len(texts) == 1:
            return self._ask_shorter(texts, refused)
        half = len(texts) // 2
        halves = dict(list(texts.items())[:half]), dict(list(texts.items())[half:])
        return self.ask(halves[0]) | self.ask(halves[1])

    def _ask_shorter(self, texts: _Texts, refused: TextsRefusedError) -> dict[int, object]:
        self._check_service(refused)
        [(number, text)] = texts.items()
        shorter = text[: len(text) // _SHORTER_BY]
        if len(shorter) < _SHORTEST_CHARS or not sent_text(shorter, max_bytes=len(text) * 4):
            return {}
        return self.ask({number: shorter})

    def _check_service(self, refused: TextsRefusedError) -> None:
        # Some gateways refuse every request with 400 once a budget is used up: that is no fault of
        # the texts, which would be left without vectors for good.
        if self._takes_texts:
            return
        try:
            self._sent([_PROBE_TEXT])
        except TextsRefusedError:
            raise UnavailableError(f"it refuses every text, {refused.message}") from refused
        self._takes_texts = True


def open_remote(
    wire: EmbeddingWire, *, model: str, clock: Clock, entropy: Entropy
) -> RemoteEmbedder:
    """Ask a service for one vector, and return an embedder of that many dimensions.

    Raises:
        UnavailableError: no answer within 2.5 seconds.
        MisconfiguredError: no permission, no such model, or an answer without a vector.
    """
    tries = _tries(clock, entropy, _PROBE_S)
    try:
        answers = tries.ask(
            lambda timeout_s: wire.ask([_PROBE_TEXT], purpose="query", timeout_s=timeout_s)
        )
    except TextsRefusedError as exc:
        raise MisconfiguredError(exc.message) from exc
    dimensions = vector_length(answers.get(0))
    if not dimensions:
        raise MisconfiguredError("its answer holds no vector")
    return RemoteEmbedder(wire, model=model, dimensions=dimensions, clock=clock, entropy=entropy)


def _tries(clock: Clock, entropy: Entropy, deadline_s: float) -> Tries:
    return Tries(
        clock=clock, entropy=entropy, deadline_s=deadline_s, try_s=_TRY_S, max_wait_s=_MAX_WAIT_S
    )


def vector_length(answer: object) -> int:
    """Return the dimensions of what should be a vector; 0 if it is not usable as one."""
    row = _unit_row(answer)
    return 0 if row is None else len(row)


def unit_rows(answers: Mapping[int, object], *, count: int, dimensions: int) -> NDArray[np.float32]:
    """Return float32[count, dimensions]: row i is `answers[i]` at unit length.

    It is all zeros where the answer is missing, no list of finite numbers, as long as another
    model's, or zero itself. Answers outside [0, count) are ignored.
    """
    rows = np.zeros((count, dimensions), dtype=np.float32)
    for number, answer in answers.items():
        row = _unit_row(answer) if 0 <= number < count else None
        if row is not None and len(row) == dimensions:
            rows[number] = row
    return rows


def _unit_row(answer: object) -> NDArray[np.float64] | None:
    if not _is_numbers(answer):
        return None
    try:
        row = np.array(answer, dtype=np.float64)
    except OverflowError:  # a whole number beyond every float
        return None
    largest = np.abs(row).max(initial=0.0)
    if not np.isfinite(largest) or largest == 0.0:
        return None
    # By the largest first: squares of very large or small numbers leave the range of a float.
    row /= largest
    unit: NDArray[np.float64] = row / np.linalg.norm(row)
    return unit


def _is_numbers(answer: object) -> TypeGuard[list[float]]:
    # By exact type, since a bool is an int too.
    return isinstance(answer, list) and {type(value) for value in answer} <= {int, float}
