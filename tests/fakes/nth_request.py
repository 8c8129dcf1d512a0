"""A store that lets somebody in at its n-th request, whatever that is: a crash, another process."""

from collections.abc import Callable, Iterator
from typing import NoReturn

from everturn.ports.object_store import ObjectStore
from fakes.wrapped_store import Answer, Verb, WrappedStore


class NthRequest(WrappedStore):
    """Calls somebody before or after the n-th request of all; counts requests."""

    def __init__(
        self,
        inner: ObjectStore,
        nth: int = 0,
        call: Callable[[], object] = int,
        *,
        after: bool = False,
    ) -> None:
        """Stand in front of `inner`; without a number it counts alone."""
        super().__init__(inner)
        self.count = 0
        self._nth, self._call, self._after = nth, call, after

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del verb, key
        self.count += 1
        is_now = self.count == self._nth
        if is_now and not self._after:
            self._call()
        answer = send()
        if is_now and self._after:
            self._call()
        return answer


def crash() -> NoReturn:
    """End the process: nothing catches this."""
    raise KeyboardInterrupt


def places(
    data: ObjectStore, derived: ObjectStore, call: Callable[[ObjectStore, ObjectStore], object]
) -> Iterator[tuple[str, int]]:
    """Make a call, and yield its requests: of which store, and the how manieth."""
    stores = {"data": NthRequest(data), "derived": NthRequest(derived)}
    call(stores["data"], stores["derived"])
    for name, store in stores.items():
        yield from ((name, nth) for nth in range(1, store.count + 1))
