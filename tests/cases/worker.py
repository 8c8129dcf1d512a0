"""The worker of the queue as the cases drive it: the real handler, and a model with a script."""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from everturn.adapters.scripted_chat import ScriptedChat
from everturn.conversations.model.watermark import parse_watermark
from everturn.local.functions import Handler
from everturn.local.invocation import LambdaContext, dashed_id
from everturn.local.job_worker import FUNCTION, job_event
from everturn.ports.chat_model import Prompt
from everturn.ports.object_store import StoredObject
from everturn.ports.queue import JobQueue, Lease
from everturn.values.job import Job
from everturn.values.keys import Scope, watermark_key
from fakes.wrapped_store import WRITES, Verb
from functions.house import House, Json

SETTLE_S: Final = 60
_LEASE_S: Final = 900
# A job that settles and one that a marker stands for have begun by then, even one after the other.
_ROUNDS: Final = 10
_LINE: Final = re.compile(r"(?P<role>\w+) #(?P<turn>\d+)(?: \S+Z)?: (?P<text>.*)")


@dataclass(slots=True)
class Worker:
    """A function that works on jobs, what it asked of its model, and what became of the jobs."""

    house: House
    handler: Handler
    timeout_s: float
    model: ScriptedChat
    taken: list[Job] = field(default_factory=list)
    failed: list[Job] = field(default_factory=list)
    wrote: list[tuple[Verb, str]] = field(default_factory=list)
    """The requests of its jobs that change something."""
    queue: JobQueue | None = None
    elapse: Callable[[float], None] = lambda _: None
    """Lets time pass, for the queue as for everybody."""

    def join(self, queue: JobQueue, elapse: Callable[[float], None]) -> None:
        """Work on this queue, to which appends offer from now on."""
        self.queue, self.elapse = queue, elapse
        self.house.parts.join(queue, settle_s=SETTLE_S)

    def deliver(self, *records: Json) -> Json:
        """Hand one event with these records to the handler, and return its answer."""
        parts = self.house.parts
        ends_s = parts.clock.monotonic_s() + self.timeout_s
        context = LambdaContext(dashed_id(parts.entropy), FUNCTION, parts.clock, ends_s)
        doors = (parts.data, parts.derived)
        before = [len(door.calls) for door in doors]
        answer: Json = self.handler({"Records": list(records)}, context)
        for door, known in zip(doors, before, strict=True):
            self.wrote += [call for call in door.calls[known:] if call[0] in WRITES]
        # Lambda reads the answer as JSON.
        read: Json = json.loads(json.dumps(answer))
        return read

    def work(self) -> None:
        """Do what is due."""
        assert self.queue
        while leases := self.queue.claim(1, lease_s=_LEASE_S):
            for lease in leases:
                self._do(lease, self.queue)

    def drain(self) -> None:
        """Let time pass and work until nothing waits."""
        assert self.queue
        for _ in range(_ROUNDS):
            self.elapse(SETTLE_S + 1)
            self.work()
            depth = self.queue.depth()
            if not depth.waiting + depth.leased:
                return
        raise AssertionError("the queue does not drain")

    def mark(self, scope: Scope, conversation_id: str) -> int:
        """Return how many turns of a conversation were read."""
        stored = self.house.data.inner.get(watermark_key(scope, conversation_id))
        return parse_watermark(stored.body).turns if isinstance(stored, StoredObject) else 0

    def times_read(self, text: str) -> int:
        """Return how often the model was given a turn with this text, as one that it may cite."""
        lines = [line for prompt in self.model.prompts for line in lines_of(prompt)]
        return [line["text"] for line in lines].count(text)

    def _do(self, lease: Lease, queue: JobQueue) -> None:
        [record] = job_event(lease, message_id=f"message-{len(self.taken)}")["Records"]
        self.taken.append(lease.job)
        if self.deliver(record)["batchItemFailures"]:
            self.failed.append(lease.job)
            queue.give_back(lease, delay_s=1)
        else:
            queue.done(lease)


def record_of(message_id: str, body: str) -> Json:
    """Return a record of an event of SQS with any body."""
    lease = Lease(Job(Scope("t", "a"), "c"), f"receipt of {message_id}", 1)
    [record] = job_event(lease, message_id=message_id)["Records"]
    digest = hashlib.md5(body.encode(), usedforsecurity=False).hexdigest()
    return {**record, "body": body, "md5OfBody": digest}


def lines_of(prompt: Prompt) -> list[dict[str, str]]:
    """Return role, turn and text of each line that a model may cite."""
    transcript = prompt.user.partition("<transcript>\n")[2].removesuffix("\n</transcript>")
    found = map(_LINE.fullmatch, transcript.splitlines())
    return [line.groupdict() for line in found if line]


def noting(prompt: Prompt) -> str:
    """Answer as a model that takes what users say for facts."""
    facts = [
        {"turn": int(line["turn"]), "quote": line["text"], "text": line["text"]}
        for line in lines_of(prompt)
        if line["role"] == "user"
    ]
    return json.dumps({"facts": facts[:5], "user_facts": [], "patterns": [], "outcome": None})
