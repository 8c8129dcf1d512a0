"""Stores that fail as S3 may fail: answers lost, writes delayed, refusals without a cause."""

import threading
from collections.abc import Callable
from enum import Enum

from everturn.adapters.system_clock import SeededEntropy
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    OutcomeUnknownError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.ports.object_store import ObjectStore
from fakes.wrapped_store import WRITES, Answer, Verb, WrappedStore


class Fault(Enum):
    """One way in which a request goes wrong."""

    LOST_REQUEST = "never arrives; no clear answer"
    LOST_RESPONSE = "is done; no clear answer"
    DELAYED = "no clear answer; a write is done later, if its condition still holds then"
    REFUSED = "409 or 412 without a cause: a write is not done"
    UNAVAILABLE = "503 on a read or a lock not had: not done, and known to be"


Plan = Callable[[Verb], Fault | None]
Script = dict[tuple[Verb, int], Fault]
"""What becomes of the n-th request of a verb, counted from 1."""


def never(verb: Verb) -> Fault | None:
    """Let every request pass."""
    del verb
    return None


def scripted(faults: Script) -> Plan:
    """Let single requests fail."""
    counts: dict[Verb, int] = {}

    def plan(verb: Verb) -> Fault | None:
        counts[verb] = counts.get(verb, 0) + 1
        return faults.get((verb, counts[verb]))

    return plan


def seeded(entropy: SeededEntropy, share: float) -> Plan:
    """Let this share of all requests fail, each in one of the ways, equally often."""

    def plan(verb: Verb) -> Fault | None:
        del verb
        fails = entropy.share() < share
        return list(Fault)[int(entropy.share() * len(Fault))] if fails else None

    return plan


class FaultyStore(WrappedStore):
    """Fails as planned. A delayed write lands before the `delay`-th request that follows it."""

    def __init__(self, inner: ObjectStore, plan: Plan = never, *, delay: int = 1) -> None:
        """Stand in front of `inner`."""
        super().__init__(inner)
        self.plan = plan
        self.delay = delay
        self.failed: list[tuple[Verb, Fault]] = []
        self._late: list[tuple[int, Callable[[], object]]] = []
        self._requests = 0
        self._lock = threading.Lock()

    def land_all(self) -> None:
        """Let every delayed write land now."""
        late, self._late = self._late, []
        for _, send in late:
            _try(send)

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del key
        with self._lock:
            self._requests += 1
            due = [send for at, send in self._late if at <= self._requests]
            self._late = [item for item in self._late if item[0] > self._requests]
            fault = self.plan(verb)
        for late in due:
            _try(late)
        if fault is None:
            return send()
        self.failed.append((verb, fault))
        raise self._failure(verb, fault, send)

    def _failure(self, verb: Verb, fault: Fault, send: Callable[[], object]) -> EverturnError:
        has_condition = verb in {"put", "delete"}
        if verb not in WRITES or fault is Fault.UNAVAILABLE:
            return UnavailableError("a fault of the test")
        if fault is Fault.REFUSED:
            refused = PreconditionFailedError if has_condition else UnavailableError
            return refused("a fault of the test")
        if fault is Fault.LOST_RESPONSE:
            _try(send)
        if fault is Fault.DELAYED:
            self._late.append((self._requests + self.delay, send))
        return OutcomeUnknownError("a fault of the test")


class UnlistableStore(WrappedStore):
    """S3 for an identity without `s3:ListBucket`: an absent key reads as a forbidden one."""

    def __init__(self, inner: ObjectStore, *, readable: bool = True) -> None:
        """Stand in front of `inner`; with `readable` false every read is forbidden."""
        super().__init__(inner)
        self._readable = readable

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        answer = send() if verb != "get" or self._readable else None
        if verb == "get" and answer is None:
            raise AccessDeniedError(f"403 key={key}")
        return answer  # type: ignore[return-value]  # None was refused above


def _try(send: Callable[[], object]) -> None:
    """Do what nobody will hear the answer of."""
    try:
        send()
    except StoreError:
        return
