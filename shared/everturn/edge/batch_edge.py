"""All that a function shares to which a queue hands messages: each is done or fails by itself.

A message that fails comes again after its visibility timeout, and after so many times goes to the
dead letters.
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from everturn.edge.event_edge import EventEdge
from everturn.edge.http_app import crashed
from everturn.errors import EverturnError, UnavailableError

Message = Callable[[str, float], object]
"""Does what a message's body asks for, having so many seconds."""


class BatchEdge(EventEdge):
    """One function: made at cold start, it works on one batch at a time."""

    def batch_handler(
        self, work: Message, *, margin_s: float
    ) -> Callable[..., Mapping[str, object]]:
        """Return the handler that does this work for each message, and names those that failed.

        `margin_s` is what a message may take beyond its seconds to end what it began.
        """
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)

        def handle(event: dict[str, Any], context: Any) -> Mapping[str, object]:  # noqa: ANN401  # Lambda's own type
            self._metrics.clear_metrics()
            self.count(events=1)

            def one(record: SQSRecord) -> object:
                left_s = context.get_remaining_time_in_millis() / 1_000 - margin_s
                return self._done(work, record, left_s)

            if not event.get("Records"):
                return {"batchItemFailures": []}
            return {**process_partial_response(event, one, processor, context)}

        return self._observed(handle)

    def tell(self, fault: EverturnError | None) -> None:
        """Log what kept a message that is done from something beside it, if anything did."""
        if fault:
            self.note_error(fault)

    def _done(self, work: Message, record: SQSRecord, left_s: float) -> object:
        # The next line may be of another message, and bears its own.
        self._logger.append_keys(message_id=record.message_id, receives=_receives(record))
        try:
            return work(record.body, _enough(left_s))
        except EverturnError as error:
            self.note_error(error)
            self.count(jobs_failed=1)
            raise
        except Exception as error:  # noqa: BLE001  # the edge
            # Powertools and Lambda print what is raised, and a message may quote what a user said.
            failed = crashed(self._logger, error)
            self.count(jobs_failed=1)
            raise failed from None


def _receives(record: SQSRecord) -> str | None:
    """Return how often the queue handed a message out, as it says."""
    return (record.get("attributes") or {}).get("ApproximateReceiveCount")


def _enough(left_s: float) -> float:
    if left_s <= 0:
        raise UnavailableError("no time is left for another message")
    return left_s
