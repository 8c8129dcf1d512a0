"""What the function that keeps memories has beyond the others: their index, and what it knows."""

from typing import TYPE_CHECKING

from everturn.edge.api_function import LambdaEdge, Reading, Storing
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore

if TYPE_CHECKING:
    from everturn.memory.index.record_cache import MemoryCache


class Remembering(Storing):
    """What every service that writes a memory takes."""

    derived: ObjectStore


class Browsing(Reading):
    """What every service that reads memories takes."""

    derived: ObjectStore
    clock: Clock
    cache: "MemoryCache"


class Changing(Browsing):
    """What every service that changes a memory takes."""

    entropy: Entropy


class MemoryEdge(LambdaEdge):
    """A function that keeps memories."""

    @property
    def remembering(self) -> Remembering:
        """The parts for a service that writes a memory."""
        return Remembering(**self.storing, derived=self.backends.derived)

    @property
    def browsing(self) -> Browsing:
        """The parts for a service that reads memories."""
        parts = self.backends
        return Browsing(
            **self.reading,
            derived=parts.derived,
            clock=parts.clock,
            cache=self.memories,
        )

    @property
    def changing(self) -> Changing:
        """The parts for a service that changes a memory."""
        return Changing(**self.browsing, entropy=self.backends.entropy)
