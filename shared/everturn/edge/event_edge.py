"""All that a function shares that is started by an event of AWS: settings, parts, metrics.

Not here: HTTP (edge/lambda_edge.py). Nobody waits for an answer, so a failure is an error of the
function: its alarm sees it, and the next event tries again.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from everturn.bootstrap import open_backends, open_offers
from everturn.domain.go_json import JsonObject
from everturn.edge.http_app import crashed, log_fault
from everturn.edge.metrics import METRICS
from everturn.errors import EverturnError
from everturn.settings import read_settings

if TYPE_CHECKING:
    from everturn.services.offer_job import JobOffers

# What is begun before the end takes a while to end; Lambda ends everything at its timeout.
_MARGIN_S = 60.0

Work = Callable[[float], JsonObject]
"""Does what the event asks for within so many seconds, and says what it did."""


class EventEdge:
    """One function: made at cold start, it works on one event at a time."""

    def __init__(self) -> None:
        """Read the settings and open the stores.

        Raises:
            MisconfiguredError: the deployment cannot work; the function does not start.
        """
        self.settings = read_settings()
        self.backends = open_backends(self.settings)
        self._metrics = Metrics()
        self._logger = Logger()

    @property
    def offers(self) -> "JobOffers | None":
        """Where jobs of consolidation go; None without a queue."""
        return open_offers(self.settings) if self.settings.queue else None

    def count(self, **counts: int) -> None:
        """Add counts to the metrics of this event, each under a name of edge/metrics.py."""
        for name, value in counts.items():
            self._metrics.add_metric(METRICS[name], MetricUnit.Count, value)

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
                log_fault(self._logger, error)
                raise
            except Exception as error:  # noqa: BLE001  # the edge
                # Lambda prints what is raised, and a message may quote what a user said.
                raise crashed(self._logger, error) from None

        logged: Callable[..., JsonObject] = self._logger.inject_lambda_context(
            self._metrics.log_metrics(handle)
        )
        return logged
