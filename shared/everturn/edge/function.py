"""What every function does around its work.

It counts, logs faults, and keeps events out of logs.
"""

import functools
from collections.abc import Callable
from typing import TypeVar

from aws_lambda_powertools import Logger, Metrics

from everturn.edge.http_app import log_fault
from everturn.edge.metrics import add_counts
from everturn.errors import CorruptRecordError, EverturnError

Result = TypeVar("Result")


class ObservedEdge:
    """One function, whatever starts it."""

    def __init__(self) -> None:
        """Make its logger and its metrics."""
        self._metrics = Metrics()
        self._logger = Logger()

    def count(self, **counts: int | None) -> None:
        """Add numbers to the metrics of this event, each by a word of edge/metrics.py."""
        add_counts(self._metrics, counts)

    def note_error(self, error: EverturnError, *, status: int | None = None) -> None:
        """Log a fault, and count it where it is a record that cannot be read.

        `status` is that of the answer, if it is what a caller is told.
        """
        log_fault(self._logger, error, status=status)
        if isinstance(error, CorruptRecordError):
            self.count(corrupt=1)

    def _observed(self, handle: Callable[..., Result]) -> Callable[..., Result]:
        """Return a handler that writes its metrics, and whose lines bear the request."""
        # Said here, or a variable of the environment could have whole events logged.
        logged = self._logger.inject_lambda_context(log_event=False)
        handler: Callable[..., Result] = logged(self._counted(handle))
        return handler

    def _counted(self, handle: Callable[..., Result]) -> Callable[..., Result]:
        """Return a handler that writes its metrics, if it came to count anything.

        Powertools' own warns where it did not, as after Ctrl-C in a command that runs it.
        """

        @functools.wraps(handle)
        def counted(*event: object) -> Result:
            try:
                return handle(*event)
            finally:
                if self._metrics.metric_set:
                    self._metrics.flush_metrics()

        return counted
