"""A store that takes time: each read moves the clock of the test on."""

from collections.abc import Callable

from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from fakes.wrapped_store import Answer, Verb, WrappedStore


class SlowStore(WrappedStore):
    """Answers a get after so many seconds; counts them."""

    def __init__(self, inner: ObjectStore, clock: Clock, seconds: float) -> None:
        """Stand in front of `inner`."""
        super().__init__(inner)
        self.gets = 0
        self._clock, self._seconds = clock, seconds

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del key
        if verb == "get":
            self.gets += 1
            self._clock.sleep(self._seconds)
        return send()
