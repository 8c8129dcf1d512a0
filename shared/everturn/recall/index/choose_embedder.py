"""Which embedder a process uses: the first of those configured that answers, and why."""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.clock import Clock
from everturn.ports.embedder import Embedder

# A service that was away is looked for again so often, by one recall at a time.
_PROBE_AGAIN_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An embedder that may be used; `missing` says what keeps it from being asked, or is None.

    `open` asks it once and raises UnavailableError or MisconfiguredError where it cannot be used.
    """

    name: str
    open: Callable[[], Embedder]
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """An embedder that comes earlier and is not used, with the reason in plain words."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """The live embedder, why it is this one, and what those before it lacked.

    `fell_back` says that another one was asked for and cannot be used now.
    """

    embedder: Embedder
    name: str
    reason: str
    fell_back: bool = False
    tried: tuple[Tried, ...] = ()


class Embedders:
    """The embedders of a process, in the order of preference; safe under threads."""

    def __init__(self, candidates: Sequence[Candidate], clock: Clock, *, pinned: str = "") -> None:
        """Choose among these: the last one needs no service and never fails.

        `pinned` names the only one to use; the last one stands in where it cannot be used.
        """
        self._candidates = tuple(candidates)
        self._clock = clock
        self._pinned = pinned
        self._opened: dict[str, Embedder] = {}
        self._choice: EmbedderChoice | None = None
        self._again_s = 0.0
        self._lock = threading.Lock()

    def live(self) -> EmbedderChoice:
        """Return the embedder to use now, asking each once until one answers.

        While one that is configured does not answer, it is asked again every 60 s; whoever comes
        in the meantime gets the choice that stands.

        Raises:
            MisconfiguredError: even the last one cannot be used.
        """
        if self._choice is None:
            with self._lock:
                return self._choice or self._choose()
        if self._lock.acquire(blocking=False):
            try:
                if self._clock.monotonic_s() >= self._again_s:
                    return self._choose()
            finally:
                self._lock.release()
        return self._choice

    def doubt(self) -> None:
        """Ask the live embedder again before it is used again: it did not answer a request."""
        with self._lock:
            if self._choice is not None:
                self._opened.pop(self._choice.name, None)
                self._again_s = -math.inf

    def _choose(self) -> EmbedderChoice:
        tried: list[Tried] = []
        failed: list[Tried] = []
        for candidate in self._wanted():
            if candidate.missing is not None:
                tried.append(Tried(candidate.name, candidate.missing))
                continue
            try:
                embedder = self._opened_once(candidate)
            except (UnavailableError, MisconfiguredError) as exc:
                failed.append(Tried(candidate.name, exc.message))
                tried.append(failed[-1])
                continue
            self._again_s = self._clock.monotonic_s() + (_PROBE_AGAIN_S if failed else math.inf)
            self._choice = self._chosen(candidate, embedder, tried, failed)
            return self._choice
        raise MisconfiguredError(f"no embedder can be used tried={_listed(tried)}")

    def _wanted(self) -> Sequence[Candidate]:
        *others, last = self._candidates
        if not self._pinned:
            return self._candidates
        return [*(other for other in others if other.name == self._pinned), last]

    def _opened_once(self, candidate: Candidate) -> Embedder:
        if candidate.name not in self._opened:
            self._opened[candidate.name] = candidate.open()
        return self._opened[candidate.name]

    def _chosen(
        self, candidate: Candidate, embedder: Embedder, tried: list[Tried], failed: list[Tried]
    ) -> EmbedderChoice:
        if self._pinned not in {"", *(known.name for known in self._candidates)}:
            tried = [Tried(self._pinned, "there is no embedder of this name"), *tried]
        if self._pinned not in {"", candidate.name}:
            reason = _listed(tried)
        elif failed:
            reason = _listed(failed)
        elif self._pinned:
            reason = "it is asked for by its name"
        elif candidate is self._candidates[-1]:
            reason = "no embedding model is configured"
        else:
            reason = "it is the first of those configured"
        fell_back = bool(failed) or self._pinned not in {"", candidate.name}
        return EmbedderChoice(embedder, candidate.name, reason, fell_back, tuple(tried))


def _listed(tried: Sequence[Tried]) -> str:
    return "; ".join(f"{one.name}: {one.reason}" for one in tried)
