"""A store that lets another writer in at an exact place, so that a race is an ordinary test."""

from collections.abc import Callable

from everturn.ports.object_store import ObjectStore
from fakes.wrapped_store import Answer, Verb, WrappedStore

Place = tuple[Verb, int]
"""The n-th request of a verb, counted from 1."""


class InterleavedStore(WrappedStore):
    """Calls somebody before or after the n-th request of a verb; records every request."""

    def __init__(
        self,
        inner: ObjectStore,
        *,
        before: dict[Place, Callable[[], object]] | None = None,
        after: dict[Place, Callable[[], object]] | None = None,
    ) -> None:
        """Stand in front of `inner`."""
        super().__init__(inner)
        self._before = before or {}
        self._after = after or {}
        self.verbs: list[Verb] = []

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        del key
        self.verbs.append(verb)
        place = (verb, self.verbs.count(verb))
        if place in self._before:
            self._before[place]()
        try:
            return send()
        finally:
            if place in self._after:
                self._after[place]()
