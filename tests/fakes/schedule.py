"""Several calls at once, their requests in an order that the test chooses.

Only one of them runs at any time, so the same order gives the same result.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from everturn.errors import EverturnError
from everturn.ports.object_store import ObjectStore
from fakes.wrapped_store import Answer, Verb, WrappedStore

Call = Callable[[ObjectStore], object]


class _Actor(WrappedStore):
    """One call in its thread; stands still before each of its requests."""

    def __init__(self, inner: ObjectStore, call: Call) -> None:
        super().__init__(inner)
        self.result: object = None
        self.ended = False
        self._call = call
        self._go, self._still = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._still.acquire()

    def step(self) -> None:
        """Make the request that it stands before, and run on to the next."""
        self._go.release()
        self._still.acquire()

    def _run(self) -> None:
        try:
            self.result = self._call(self)
        except EverturnError as error:
            self.result = error
        finally:
            self.ended = True
            self._still.release()

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del verb, key
        # What was delayed lands after the call has ended, whenever the test lets it.
        if not self.ended:
            self._still.release()
            self._go.acquire()
        return send()


def merged(**steps: int) -> Iterator[list[str]]:
    """Yield every order of so many requests of each call."""
    name, *others = steps
    if not others:
        yield [name] * steps[name]
        return
    total = sum(steps.values())
    for rest in merged(**{other: steps[other] for other in others}):
        for places in combinations(range(total), steps[name]):
            left = iter(rest)
            yield [name if at in places else next(left) for at in range(total)]


def run_in_order(
    store: ObjectStore, calls: Mapping[str, Call], order: Sequence[str]
) -> dict[str, object]:
    """Run calls, one request at a time as `order` says, then each to its end.

    Returns:
        What each call returned or raised.
    """
    actors = {name: _Actor(store, call) for name, call in calls.items()}
    for name in order:
        if not actors[name].ended:
            actors[name].step()
    for actor in actors.values():
        while not actor.ended:
            actor.step()
    return {name: actor.result for name, actor in actors.items()}
