"""S3 in virtual time: requests take a while, get lost, arrive late; their senders crash."""

from collections.abc import Callable, Sequence

from everturn.errors import (
    OutcomeUnknownError,
    PreconditionFailedError,
    StoreError,
    UnavailableError,
)
from everturn.ports.object_store import ObjectStore
from fakes.wrapped_store import WRITES, Answer, Verb, WrappedStore
from simulator.calls import Call
from simulator.dice import Dice
from simulator.fates import FAIR, Fate, Times, Weather, draw_times
from simulator.timeline import Timeline
from simulator.trace import Trace

Observer = Callable[[Verb, str, Call], None]
"""Told of each write that was done, at its instant, with the call that sent it."""

_NOT_SENT = {Fate.CRASH_BEFORE, Fate.LOST, Fate.FAILED_BEFORE, Fate.REFUSED, Fate.BUSY}


class Crash(BaseException):
    """The process ends here; no error of the product, so that nothing catches it."""


class VirtualStore(WrappedStore):
    """The store as one process sees it; `call` is what the process is at."""

    def __init__(
        self, inner: ObjectStore, timeline: Timeline, dice: Dice, trace: Trace, observer: Observer
    ) -> None:
        """Stand in front of `inner`, in fair weather."""
        super().__init__(inner)
        self.weather: Weather = FAIR
        self.call = Call("", "")
        self._timeline = timeline
        self._dice = dice
        self._trace = trace
        self._observer = observer

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove objects; in bad weather some of them are left over, and named."""
        if not keys:
            return ()
        left = tuple(key for key in keys if self._dice.chance(self.weather.faults))
        return left + super().delete_many([key for key in keys if key not in left])

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if self.call.crashed:
            # A process that has ended does not tidy up after itself either.
            raise Crash
        fate = self.weather.fate(self._dice)
        times = draw_times(fate, self._dice)
        self._trace.request(self._timeline.now_ns, self.call, verb, key, fate)
        start = self._timeline.now_ns
        sending = self._sending(verb, key, send)
        if fate is Fate.CRASH_AFTER or fate is Fate.LATE:
            self._timeline.at(start + times.done, lambda: _unheard(sending))
        if fate in {Fate.CRASH_BEFORE, Fate.CRASH_AFTER}:
            self.call.crashed = True
            raise Crash
        if fate in {Fate.FINE, Fate.STALLED}:
            return self._answered(start, times, sending)
        if fate in {Fate.ANSWER_LOST, Fate.FAILED_AFTER}:
            self._timeline.wait_until(start + times.done)
            _unheard(sending)
        self._timeline.wait_until(start + times.answered)
        raise _failure(verb, fate)

    def _answered(self, start: int, times: Times, sending: Callable[[], Answer]) -> Answer:
        self._timeline.wait_until(start + times.done)
        try:
            return sending()
        finally:
            self._timeline.wait_until(start + times.answered)

    def _sending(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Callable[[], Answer]:
        """Return the request as it happens at the store, whoever is at work then."""
        call = self.call

        def sending() -> Answer:
            try:
                answer = send()
            except StoreError as error:
                self._trace.refused(self._timeline.now_ns, call, verb, key, error)
                raise
            if verb in WRITES:
                self._trace.done(self._timeline.now_ns, call, verb, key)
                self._observer(verb, key, call)
            return answer

        return sending


def _failure(verb: Verb, fate: Fate) -> Exception:
    if verb not in WRITES or fate is Fate.BUSY or (fate is Fate.REFUSED and verb != "put"):
        return UnavailableError(f"a fault of the test fate={fate.name}")
    if fate is Fate.REFUSED:
        return PreconditionFailedError("a fault of the test fate=REFUSED")
    return OutcomeUnknownError(f"a fault of the test fate={fate.name}")


def _unheard(sending: Callable[[], object]) -> None:
    """Do what nobody will hear the answer of."""
    try:
        sending()
    except StoreError:
        return
