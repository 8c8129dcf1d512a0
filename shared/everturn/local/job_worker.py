"""Work on the job queue in a process of `everturn up`, as Lambda's event source does in AWS.

Each job becomes the event that Lambda builds from an SQS message. The function's response is read
as Lambda reads it, field by field:
https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
"""

import hashlib
import math
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

from everturn.bootstrap.components import open_backends, open_offers, open_queue
from everturn.consolidation.enqueue_job import JobOffers
from everturn.errors import EverturnError, MisconfiguredError
from everturn.local.bundle import Bundle, find_bundle
from everturn.local.environment import environment_of, set_environment
from everturn.local.functions import Handler, load_handlers
from everturn.local.handler_log import HandlerLog
from everturn.local.invocation import ACCOUNT, LambdaContext, dashed_id
from everturn.local.template import Function, read_function
from everturn.local.workers import READY, WorkerPlan, tell
from everturn.ports.clock import Clock, Entropy
from everturn.ports.queue import MAX_RECEIVES, JobQueue, Lease
from everturn.settings.process import read_settings

FUNCTION: Final = "Consolidate"
"""The logical id of the function that works on jobs."""

# An idle look lists one folder, in some 20 us; a person who waits does not notice the rest.
_IDLE_S: Final = 0.3
# A queue that is away is left alone for as long as it lets a second offer wait.
_AWAY_S: Final = 5.0
# Markers are taken by whoever ends a job; where none is left to be ended, one marker begins anew.
_MARKERS_S: Final = 10.0
# What failed five times failed of a model that was away, as a rule; nobody sweeps here.
_REDRIVE_S: Final = 600.0
# Most failures pass soon; the later tries leave a model that is down the time to come back. After
# the last try nothing is waited for.
_DELAYS_S: Final = (2, 8, 30, 120)
# A lease outlasts its job: else a second worker would do the same meanwhile.
_LEASE_S, _LEASE_MARGIN_S = 120, 20


@dataclass(frozen=True, slots=True)
class JobParts:
    """What a worker works with."""

    queue: JobQueue
    offers: JobOffers
    handler: Handler
    function: Function
    clock: Clock
    entropy: Entropy
    log: HandlerLog


class JobWorker:
    """Takes one job after the other to the handler, as long as somebody calls `step`."""

    def __init__(self, parts: JobParts) -> None:
        """Take the parts; claims nothing yet."""
        self._parts = parts
        self._timeout_s = parts.function.timeout_s
        self._lease_s = max(_LEASE_S, math.ceil(self._timeout_s) + _LEASE_MARGIN_S)
        self._markers_s = parts.clock.monotonic_s() + _MARKERS_S
        self._redrive_s = parts.clock.monotonic_s() + _REDRIVE_S
        self._queue_answers = True

    def step(self) -> float:
        """Do the job that has been due for longest, if one is; return the seconds to wait then.

        A queue or a store that does not answer is told once in the log, until it does again.
        """
        try:
            leases = self._parts.queue.claim(1, lease_s=self._lease_s)
            for lease in leases:
                self._do(lease)
            looked = bool(leases) or self._look_for_more()
        except EverturnError as error:
            if self._queue_answers:
                self._tell(
                    "the queue or its store does not answer", code=error.code, reason=error.message
                )
            self._queue_answers = False
            return _AWAY_S
        self._queue_answers |= looked
        return 0.0 if leases else _IDLE_S

    def _look_for_more(self) -> bool:
        """Offer one job that the queue once refused, or a dead one; return whether it was time to.

        The time of a refused one may come in a minute, and an idle worker would add more and more
        of such: it adds none to a full queue, and one that ended a job adds one for it.
        """
        now_s = self._parts.clock.monotonic_s()
        if now_s >= self._redrive_s:
            self._redrive_s = now_s + _REDRIVE_S
            self._parts.queue.redrive(1)
        if now_s < self._markers_s:
            return False
        self._markers_s = now_s + _MARKERS_S
        self._parts.offers.take_marker(even_if_full=False)
        return True

    def _do(self, lease: Lease) -> None:
        if self._succeeds(lease):
            self._parts.queue.done(lease)
            return
        delay_s = next(iter(_DELAYS_S[lease.receives - 1 :]), 0)
        self._parts.queue.give_back(lease, delay_s=delay_s)
        if lease.receives < MAX_RECEIVES:
            self._tell("a job failed and comes again", receives=lease.receives, after_s=delay_s)
        else:
            self._tell("a job failed for the last time", receives=lease.receives)

    def _succeeds(self, lease: Lease) -> bool:
        parts = self._parts
        name, request_id = parts.function.name, dashed_id(parts.entropy)
        event = job_event(lease, message_id=dashed_id(parts.entropy))
        deadline_s = parts.clock.monotonic_s() + self._timeout_s
        context = LambdaContext(request_id, name, parts.clock, deadline_s)
        try:
            return not names_a_failure(parts.handler(event, context))
        except Exception as error:  # noqa: BLE001 - the Lambda runtime's place, above the edge
            now_ns = parts.clock.now_ns()
            parts.log.crashed(error, function_name=name, request_id=request_id, now_ns=now_ns)
        return False

    def _tell(self, message: str, **facts: str | int) -> None:
        self._parts.log.tell(message, now_ns=self._parts.clock.now_ns(), **facts)


def open_job_worker(plan: WorkerPlan, *, bundle: Bundle | None = None) -> JobWorker:
    """Put a worker together.

    Args:
        plan: settings of the handler, and where it logs.
        bundle: where template and functions are; found if not given.

    Raises:
        MisconfiguredError: there is no queue or no such function, or it refuses its settings.
    """
    bundle = bundle or find_bundle()
    settings = read_settings(environment_of(plan.settings))
    backends, queue, log = open_backends(settings), open_queue(settings), HandlerLog(plan.log)
    if queue is None:
        raise MisconfiguredError("this store has no queue, set EVERTURN_QUEUE_URL")
    function = read_function(bundle.template, FUNCTION)
    handlers = load_handlers({function}, bundle=bundle, settings=plan.settings, log=log)
    return JobWorker(
        JobParts(
            queue=queue,
            offers=open_offers(settings),
            handler=handlers[function.name],
            function=function,
            clock=backends.clock,
            entropy=backends.entropy,
            log=log,
        )
    )


def work_on_jobs(plan: WorkerPlan, parent: Connection, *, bundle: Bundle | None = None) -> None:
    """Work until `parent` is closed; the job in hand is ended first."""
    set_environment(plan.process_environment)
    try:
        worker = open_job_worker(plan, bundle=bundle)
    except EverturnError as error:
        tell(parent, error.message)
        return
    wait_s = 0.0
    if tell(parent, READY):
        # The parent says nothing: what can be read is that its end is closed, or it is gone.
        while not parent.poll(wait_s):
            wait_s = worker.step()


_REGION = "us-east-1"


def job_event(lease: Lease, *, message_id: str) -> dict[str, Any]:
    """Return the event that brings one job."""
    body = lease.job.encode()
    record = {
        "messageId": message_id,
        "receiptHandle": lease.receipt,
        "body": body,
        "attributes": {
            "ApproximateReceiveCount": str(lease.receives),
            "MessageGroupId": lease.job.group,
        },
        "messageAttributes": {},
        # Not for safety: it is how SQS tells that a body arrived whole.
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{_REGION}:{ACCOUNT}:everturn-local",
        "awsRegion": _REGION,
    }
    return {"Records": [record]}


def names_a_failure(answer: Any) -> bool:  # noqa: ANN401 - whatever a handler returns
    """Say whether an answer gives the message back.

    Of an event with one message, each entry of `batchItemFailures` does: that with its id, and one
    with an id that is none of the event's, which stands for all of them.
    https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
    """
    return bool(isinstance(answer, dict) and answer.get("batchItemFailures"))
