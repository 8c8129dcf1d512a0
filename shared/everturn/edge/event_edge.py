"""All that a function shares that is started by an event of AWS: settings, parts, metrics.

Nobody waits for an answer, so a failure is an error of the function: its alarm sees it, and the
next event tries again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everturn.bootstrap.components import Backends, open_backends, open_offers
from everturn.edge.function import ObservedEdge
from everturn.edge.http_app import crashed
from everturn.errors import EverturnError
from everturn.settings.process import read_settings
from everturn.values.go_json import JsonObject

if TYPE_CHECKING:
    from everturn.consolidation.enqueue_job import JobOffers

# What is begun before the end takes a while to end; Lambda ends everything at its timeout.
_MARGIN_S = 60.0

Work = Callable[[float], JsonObject]
"""Does what the event asks for within so many seconds, and says what it did."""


class EventEdge(ObservedEdge):
    """One function: made at cold start, it works on one event at a time."""

    def __init__(self) -> None:
        """Read the settings and open the stores.

        Raises:
            MisconfiguredError: the deployment cannot work; the function does not start.
        """
        super().__init__()
        self.settings = read_settings()
        self._opened = open_backends(self.settings)

    @property
    def backends(self) -> Backends:
        """The parts of this process."""
        return self._opened

    @property
    def offers(self) -> "JobOffers | None":
        """Where jobs of consolidation go; None without a queue."""
        return open_offers(self.settings) if self.settings.queue else None

    @property
    def dirty_age_s(self) -> int | None:
        """How old the oldest marker is, in seconds; None where this event did not look."""
        return self.offers.pop_dirty_age() if self.offers else None

    def handler(self, work: Work) -> Callable[..., JsonObject]:
        """Return the handler that does this work."""

        def handle(event: dict[str, Any], context: Any) -> JsonObject:  # noqa: ANN401  # Lambda's own type
            del event
            self._metrics.clear_metrics()
            self.count(events=1)
            left_s = context.get_remaining_time_in_millis() / 1_000 - _MARGIN_S
            try:
                return work(left_s)
            except EverturnError as error:
                self.note_error(error)
                raise
            except Exception as error:  # noqa: BLE001  # the edge
                # Lambda prints what is raised, and a message may quote what a user said.
                raise crashed(self._logger, error) from None

        return self._observed(handle)
