"""A queue of jobs in SQS: a standard queue with a queue of dead letters behind it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Self

from everturn.adapters.aws.recent_depth import RecentDepth
from everturn.adapters.aws.sqs_client import shared_client
from everturn.adapters.aws.sqs_errors import translated
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.clock import Clock
from everturn.ports.queue import (
    Depth,
    Lease,
    Offered,
    checked_delay,
    checked_lease,
    checked_limit,
)
from everturn.values.job import Job, job_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType
    from mypy_boto3_sqs.type_defs import MessageTypeDef, SendMessageRequestTypeDef

_WAITING: Final = "ApproximateNumberOfMessages"
_SETTLING: Final = "ApproximateNumberOfMessagesDelayed"
_LEASED: Final = "ApproximateNumberOfMessagesNotVisible"
# Time enough to send ten messages and delete them, each within its timeouts; then they come again.
_REDRIVE_LEASE_S: Final = 60


class SqsQueue:
    """Jobs as messages; one call is one request, but for `redrive` and some offers.

    An offer is one SendMessage, or none while the queue is known to be full. Where the depth may
    matter (see recent_depth.py) and was not read in the last 5 s, it is one GetQueueAttributes
    more: once in a hundred jobs where the queue may hold 1,000 and is empty. Of one conversation
    several jobs may wait: SQS compares no messages. How often one may be received is the queue's
    own redrive policy. The message group is the tenant, so that one tenant's backlog does not delay
    the others.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
    """

    def __init__(
        self,
        *,
        queue_url: str,
        dead_letters_url: str,
        max_depth: int,
        client: "Callable[[], SQSClient]",
        clock: Clock,
    ) -> None:
        """Take the addresses of both queues, how many jobs may wait, and what gives the client.

        It is asked for with the first call: making one takes longer than sending a job.
        """
        self._url = queue_url
        self._dead_url = dead_letters_url
        self._client = client
        self._known = RecentDepth(lambda: self.depth().waiting, max_depth=max_depth, clock=clock)

    @classmethod
    def connect(
        cls, *, queue_url: str, dead_letters_url: str, max_depth: int, clock: Clock
    ) -> Self:
        """Open a queue with the client of this process; makes and sends nothing yet."""
        return cls(
            queue_url=queue_url,
            dead_letters_url=dead_letters_url,
            max_depth=max_depth,
            client=shared_client,
            clock=clock,
        )

    def offer(self, job: Job, *, delay_s: int, even_if_full: bool = False) -> Offered:
        """Send a job, unless as many wait as may; see JobQueue."""
        delay = checked_delay(delay_s)
        if not even_if_full and self._known.is_full():
            return Offered.FULL
        try:
            self._send(self._url, job.encode(), job.group, delay)
        except (UnavailableError, MisconfiguredError) as error:
            self._known.fail(error)
            raise
        self._known.add_one()
        return Offered.QUEUED

    def claim(self, limit: int, *, lease_s: int) -> list[Lease]:
        """Receive up to `limit` messages; what is no job is left to the redrive policy."""
        found = self._receive(self._url, checked_limit(limit), checked_lease(lease_s))
        leases = map(_lease_of, found)
        return [lease for lease in leases if lease]

    def done(self, lease: Lease) -> None:
        """Delete the message; SQS says nothing of it where the lease had ended."""
        self._delete(self._url, lease.receipt)

    def give_back(self, lease: Lease, *, delay_s: int) -> None:
        """Make the message visible after `delay_s` seconds."""
        delay = checked_delay(delay_s)
        with translated("settle"):
            self._client().change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=lease.receipt, VisibilityTimeout=delay
            )

    def depth(self) -> Depth:
        """Count the messages, about; SQS does not say here how old the oldest is."""
        counts = self._counts(self._url)
        return Depth(waiting=counts[_WAITING] + counts[_SETTLING], leased=counts[_LEASED])

    @property
    def seen_depth(self) -> int | None:
        """Return what an offer has read of late, with what was sent since."""
        return self._known.seen

    def count_dead(self) -> int:
        """Count the messages of the dead-letter queue, about."""
        return sum(self._counts(self._dead_url).values())

    def redrive(self, limit: int) -> int:
        """Send up to `limit` dead letters again as they are, and delete each one that was sent.

        SQS has a task for it, which an emulation has not and which says nothing when it is done.
        """
        found = self._receive(self._dead_url, checked_limit(limit), _REDRIVE_LEASE_S)
        for message in found:
            group = message.get("Attributes", {}).get("MessageGroupId", "")
            self._send(self._url, message["Body"], group, 0)
            self._delete(self._dead_url, message["ReceiptHandle"])
        return len(found)

    def _send(self, url: str, body: str, group: str, delay_s: int) -> None:
        request: SendMessageRequestTypeDef = {
            "QueueUrl": url,
            "MessageBody": body,
            "DelaySeconds": delay_s,
        }
        if group:
            request["MessageGroupId"] = group
        with translated("offer"):
            self._client().send_message(**request)

    def _receive(self, url: str, limit: int, lease_s: int) -> "Sequence[MessageTypeDef]":
        with translated("claim"):
            answer = self._client().receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=limit,
                VisibilityTimeout=lease_s,
                WaitTimeSeconds=0,
                MessageSystemAttributeNames=["ApproximateReceiveCount", "MessageGroupId"],
            )
            return answer.get("Messages", ())

    def _delete(self, url: str, receipt: str) -> None:
        with translated("settle"):
            self._client().delete_message(QueueUrl=url, ReceiptHandle=receipt)

    def _counts(self, url: str) -> dict[str, int]:
        names: list[QueueAttributeNameType] = [_WAITING, _SETTLING, _LEASED]
        with translated("depth"):
            answer = self._client().get_queue_attributes(QueueUrl=url, AttributeNames=names)
        return {name: int(answer["Attributes"][name]) for name in names}


def _lease_of(message: "MessageTypeDef") -> Lease | None:
    job = job_of(message["Body"].encode("utf-8", "replace"))
    if job is None:
        # Nobody can do it, and nobody else may learn of it from here: the redrive policy counts
        # this receive too, and what lies among the dead letters is counted and alarmed.
        return None
    receives = int(message.get("Attributes", {}).get("ApproximateReceiveCount", 1))
    return Lease(job, message["ReceiptHandle"], receives)
