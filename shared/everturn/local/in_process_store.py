"""Open one store in this process, once, and consolidate its conversations on request.

Nothing runs between two requests.

A child made by fork drops the parts that its parent opened for the whole process.
"""

import functools
import os
from http import HTTPStatus
from pathlib import Path
from typing import Final

from everturn.bootstrap import components
from everturn.bootstrap.components import open_backends, open_extractor, open_queue
from everturn.consolidation.consolidate_conversation import consolidate
from everturn.edge.identity import scope_of
from everturn.errors import EverturnError
from everturn.local.environment import Overlay, environment_of, overlay_of
from everturn.local.gateway import Gateway, ProcessLock, open_gateway
from everturn.local.http_messages import HttpAnswer, Request
from everturn.local.invocation import event_of
from everturn.local.routing import RouteTable
from everturn.ports.queue import MAX_CLAIMED
from everturn.settings.process import Settings, read_settings
from everturn.storage.budget import Budget
from everturn.values.job import Job

CONSOLIDATE_ROUTE: Final = "POST /v1/conversations/{id}/consolidate"
# A budget is asked between two windows; nobody else waits for this one.
_SECONDS: Final = 20.0
# Others' jobs are given back at once; this is for a process that ends in between.
_LEASE_S: Final = 5

# Handlers read the process's environment while they load, which has the settings of one store then.
_OPENING: Final = ProcessLock()


class OpenedStore:
    """Answers as a server does, but what is to be consolidated is done before the answer."""

    def __init__(self, gateway: Gateway, settings: Settings) -> None:
        """Take the gateway of a store, and the settings that it was opened with."""
        self._gateway = gateway
        self._settings = settings
        self._routes = RouteTable([CONSOLIDATE_ROUTE])

    def answer(self, request: Request) -> HttpAnswer:
        """Answer one request; a consolidation takes as long as its model does, and holds up none.

        It is answered as by a server, whether the store has a queue or not.
        """
        answer = self._gateway.answer(request)
        match = self._routes.match(request.method, request.raw_path)
        if match is None or answer.status != HTTPStatus.ACCEPTED:
            return answer
        event = event_of(request, match, request_id="", now_ns=0)
        try:
            job = Job(scope_of(event, self._settings), match.parameters["id"])
            self._take_from_queue(job)
            self._consolidate(job)
        except EverturnError as error:
            return self._gateway.refuse(error)
        return HttpAnswer(answer.status, answer.headers, b'{"queued":true}')

    def refuse(self, error: EverturnError, *, status: int | None = None) -> HttpAnswer:
        """Answer with an error, under a fresh request id."""
        return self._gateway.refuse(error, status=status)

    def _take_from_queue(self, job: Job) -> None:
        """Remove a conversation's job from the folder where it was just put, before it is done.

        Else jobs would gather there that a worker finds nothing to do for, or that none comes for.
        What is appended from now on has a job of its own.
        """
        queue = open_queue(self._settings)
        if queue is None or self._settings.queue is None or not self._settings.queue.folder:
            return
        for lease in queue.claim(MAX_CLAIMED, lease_s=_LEASE_S):
            if lease.job.digest == job.digest:
                queue.done(lease)
            else:
                queue.give_back(lease, delay_s=0)
                # One that is offered anew does not count as tried.
                queue.offer(lease.job, delay_s=0)

    def _consolidate(self, job: Job) -> None:
        """Read a conversation to its end, as far as the tokens of the day reach."""
        parts = open_backends(self._settings)
        extractor = open_extractor(self._settings)
        behind = True
        while behind:
            done = consolidate(
                store=parts.data,
                derived=parts.derived,
                clock=parts.clock,
                entropy=parts.entropy,
                scope=job.scope,
                conversation_id=job.conversation_id,
                extractor=extractor,
                budget=Budget(clock=parts.clock, seconds=_SECONDS),
                daily_tokens=self._settings.extractor.daily_tokens,
            )
            behind = done.behind and done.reason is None


def open_store(address: str) -> OpenedStore:
    """Open a store; the same one for the same address and environment in one process.

    A child made by fork opens one of its own: its parent's may be locked for ever.

    Args:
        address: a directory, or s3://bucket/prefix.

    Raises:
        MisconfiguredError: it is none, or the environment has settings that cannot work.
    """
    overlay, log = overlay_of(address)
    with _OPENING:
        settings = read_settings(environment_of(overlay))
        return _opened(settings, tuple(overlay.items()), log)


@functools.cache
def _opened(
    settings: Settings, overlay: tuple[tuple[str, str | None], ...], log: Path | None
) -> OpenedStore:
    named: Overlay = dict(overlay)
    return OpenedStore(open_gateway(named, log=log), settings)


def forget_parts() -> None:
    """Forget all parts of bootstrap/components.py: the next ones are new.

    A thread of the parent, which is not in the child, may have held the locks of the old ones.
    """
    for part in vars(components).values():
        clear = getattr(part, "cache_clear", None)
        if clear is not None:
            clear()


# Handlers are loaded anew for each gateway, so a child that opens has nothing of its parent's.
os.register_at_fork(after_in_child=_opened.cache_clear)
os.register_at_fork(after_in_child=forget_parts)
