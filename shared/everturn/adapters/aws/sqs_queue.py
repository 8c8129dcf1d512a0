"""A queue of jobs in SQS: a standard queue with a dead-letter queue behind it.

SQS counts messages approximately, so the depth that a process remembers may be approximate too.
The process reads it seldom, since the queue is far away.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html

A process has one SQS client.
"""

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Self, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError
from botocore.session import Session, get_session

from everturn.adapters.aws.errors import sqs_errors
from everturn.adapters.aws.session import shared_session
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
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
    matter (see `RecentDepth`) and was not read in the last 5 s, it is one GetQueueAttributes
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
        with sqs_errors("settle"):
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
        with sqs_errors("offer"):
            self._client().send_message(**request)

    def _receive(self, url: str, limit: int, lease_s: int) -> "Sequence[MessageTypeDef]":
        with sqs_errors("claim"):
            answer = self._client().receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=limit,
                VisibilityTimeout=lease_s,
                WaitTimeSeconds=0,
                MessageSystemAttributeNames=["ApproximateReceiveCount", "MessageGroupId"],
            )
            return answer.get("Messages", ())

    def _delete(self, url: str, receipt: str) -> None:
        with sqs_errors("settle"):
            self._client().delete_message(QueueUrl=url, ReceiptHandle=receipt)

    def _counts(self, url: str) -> dict[str, int]:
        names: list[QueueAttributeNameType] = [_WAITING, _SETTLING, _LEASED]
        with sqs_errors("depth"):
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


LIFETIME_S: Final = 5.0
"""For how long a reading, or a failure, is taken as it is."""
# Ten processes that send at once what they may, without asking, fill the room and no more.
_SHARE: Final = 10


class RecentDepth:
    """The last depth that was read, with what this process added since.

    A reading costs as much as sending a job, so it is not made while there is room enough: one that
    is older than `LIFETIME_S` is good for a tenth of the room that it found, and for one job at
    least; before the first there is taken to be all room. So a process that sends little, or to a
    queue that is nowhere near full, asks once in many jobs; near the end of the room it asks every
    `LIFETIME_S`, as one does that sends much; and where there was no room it asks before it sends.

    A failure is remembered for `LIFETIME_S`, so that a queue that is down costs an append no
    waiting.
    """

    def __init__(self, read: Callable[[], int], *, max_depth: int, clock: Clock) -> None:
        """Take what asks the queue, and how many jobs may wait; nothing is asked yet."""
        self._read = read
        self._max_depth = max_depth
        self._clock = clock
        self._value = 0
        self._added = 0
        self._fresh_until_s: float | None = None
        self._failure: EverturnError | None = None
        self._failed_until_s = 0.0

    def is_full(self) -> bool:
        """Return whether as many jobs wait as may; asks the queue where too little is known.

        Raises:
            EverturnError: what the queue raised, now or within `LIFETIME_S`.
        """
        now_s = self._clock.monotonic_s()
        if self._failure is not None and now_s < self._failed_until_s:
            raise type(self._failure)(f"{self._failure.message} recent=true")
        if not self._is_fresh(now_s) and _SHARE * self._added >= self._max_depth - self._value:
            self._ask()
        return self._value + self._added >= self._max_depth

    @property
    def seen(self) -> int | None:
        """The depth as it was read within `LIFETIME_S`, with what was added since; else None."""
        is_fresh = self._is_fresh(self._clock.monotonic_s())
        return self._value + self._added if is_fresh else None

    def _is_fresh(self, now_s: float) -> bool:
        return self._fresh_until_s is not None and now_s < self._fresh_until_s

    def add_one(self) -> None:
        """Count a job that this process has put in."""
        self._added += 1

    def fail(self, error: EverturnError) -> None:
        """Remember that the queue did not do what it was asked."""
        self._failure, self._failed_until_s = error, self._clock.monotonic_s() + LIFETIME_S

    def _ask(self) -> None:
        try:
            self._value, self._added = self._read(), 0
        except EverturnError as error:
            self.fail(error)
            raise
        self._failure, self._fresh_until_s = None, self._clock.monotonic_s() + LIFETIME_S


# An append may ask for the depth and then send, after up to 16 s of writing (s3_clients.py), and is
# to end within 20 s. Nothing is repeated: the next offer or poll of the caller does that.
_ATTEMPTS: Final = 1
_CONNECT_TIMEOUT_S: Final = 1
_ANSWER_TIMEOUT_S: Final = 1


@functools.cache
def shared_client() -> "SQSClient":
    """Return the client of this process, made on the first call."""
    return make_client(session=shared_session())


# A child made by fork would share its parent's connections, and locks that were held.
os.register_at_fork(after_in_child=shared_client.cache_clear)


def make_client(*, endpoint_url: str | None = None, session: Session | None = None) -> "SQSClient":
    """Make an SQS client from the environment (AWS_ENDPOINT_URL_SQS included) or for one endpoint.

    Without a session it has one of its own.

    Raises:
        MisconfiguredError: the SDK does not take the endpoint, the region or the profile.
    """
    config = Config(
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=_ANSWER_TIMEOUT_S,
        parameter_validation=False,
    )
    try:
        made = (session or get_session()).create_client(
            "sqs", endpoint_url=endpoint_url, config=config
        )
    except (BotoCoreError, ValueError) as exc:
        raise MisconfiguredError(f"no sqs client can be made error={exc}") from exc
    return cast("SQSClient", made)
