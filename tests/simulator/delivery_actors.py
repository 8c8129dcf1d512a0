"""Who takes part in a delivery run: those who append, those who take back, and workers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count

from everturn.consolidation.consolidate_conversation import run_job
from everturn.conversations.append_turns import AppendOutcome
from everturn.conversations.model.turn import TurnDraft
from everturn.deletion.pop_turn import PopOutcome
from everturn.deletion.redact_turn import RedactOutcome
from everturn.ports.queue import Lease
from everturn.storage.budget import Budget
from everturn.values.job import Job
from simulator.calls import Call
from simulator.deliveries import Delivery, Reading, Thread
from simulator.fickle_extractor import POISON, FickleExtractor, Mood
from simulator.machines import Machine
from simulator.timeline import NS

_TOPICS = ("Dana likes tea", "Port 8080 is open", "The cat is called Mia")
_BUDGETS_S = (0.1, 60.0)
_MARKERS_S = 10.0


class Appender:
    """Appends turns and offers their jobs, as the function of the product does."""

    def __init__(self, machine: Machine, numbers: "count[int]", *, appends: int) -> None:
        """Take a machine; `numbers` make each turn of a run another."""
        self._machine, self._numbers, self._appends = machine, numbers, appends

    def play(self) -> None:
        """Make all appends, with rests between most."""
        machine = self._machine
        plan, dice = machine.site.plan, machine.dice
        for _ in range(self._appends):
            thread = dice.pick(plan.threads)
            drafts = [self._turn() for _ in range(dice.pick((1, 1, 1, 2, 4)))]
            machine.do(Call("append", thread.id), lambda t=thread, d=drafts: self._append(t, d))  # type: ignore[misc]
            if dice.chance(0.8):
                machine.rest(plan.rest_s)

    def _append(self, thread: Thread, drafts: list[TurnDraft]) -> AppendOutcome:
        machine, promised = self._machine, self._machine.site.promised
        outcome = machine.processes[thread.scope].append_drafts(drafts, to=thread.id)
        offer = machine.offers.offer(thread.scope, thread.id)
        if offer.queued or offer.marked:
            reached = outcome.first_turn + outcome.appended
            promised[thread] = max(promised.get(thread, 0), reached)
        return outcome

    def _turn(self) -> TurnDraft:
        dice, number = self._machine.dice, next(self._numbers)
        poison = f" {POISON}" if dice.chance(self._machine.site.plan.poison) else ""
        role = dice.pick(("user", "user", "user", "assistant"))
        return TurnDraft(role, f"{dice.pick(_TOPICS)}, says turn {number}{poison}")


class Editor:
    """Takes turns back, deletes conversations and lets them live again."""

    def __init__(self, machine: Machine, *, calls: int) -> None:
        """Take a machine."""
        self._machine, self._calls = machine, calls

    def play(self) -> None:
        """Make all calls, with rests between."""
        machine = self._machine
        plan, dice = machine.site.plan, machine.dice
        acts = {self._redact: 4, self._pop: 3, self._delete: 1, self._create: 2}
        for _ in range(self._calls):
            machine.rest(2 * plan.rest_s + 5)
            dice.weighted(acts)(dice.pick(plan.threads))

    def _redact(self, thread: Thread) -> None:
        machine = self._machine
        turns = machine.site.rules.turn_count(thread)
        if turns:
            redact(machine, thread, machine.dice.number(0, turns - 1))

    def _pop(self, thread: Thread) -> None:
        machine = self._machine
        turns = machine.site.rules.turn_count(thread)
        if not turns:
            return
        whole = (thread, turns - 1)
        machine.site.unfinished.add(whole)
        process = machine.processes[thread.scope]
        call = machine.do(
            Call("pop", thread.id), lambda: process.pop(expected=turns, conversation_id=thread.id)
        )
        if isinstance(call.answer, PopOutcome) and call.answer.complete:
            machine.site.unfinished.discard(whole)

    def _delete(self, thread: Thread) -> None:
        process = self._machine.processes[thread.scope]
        self._machine.do(Call("delete", thread.id), lambda: process.delete(thread.id))

    def _create(self, thread: Thread) -> None:
        process = self._machine.processes[thread.scope]
        self._machine.do(Call("create", thread.id), lambda: process.create(thread.id))


def redact(machine: Machine, thread: Thread, number: int) -> None:
    """Redact a turn; one that is not known to be gone is to be redacted again."""
    whole, process = (thread, number), machine.processes[thread.scope]
    machine.site.unfinished.add(whole)
    call = machine.do(
        Call(f"redact {number}", thread.id),
        lambda: process.redact(number, conversation_id=thread.id),
    )
    if isinstance(call.answer, RedactOutcome) and call.answer.complete:
        machine.site.unfinished.discard(whole)


@dataclass
class Worker:
    """Does jobs, one claim after the other, as the function of the product does."""

    machine: Machine
    mood: Mood
    readings: Callable[[], int]

    def play(self, until_ns: int) -> None:
        """Work until an instant; on one's own machine an idle worker looks for markers as well."""
        machine, site = self.machine, self.machine.site
        markers_s = machine.clock.monotonic_s() + _MARKERS_S
        while site.timeline.now_ns < until_ns:
            if self._claim_and_do():
                continue
            if site.plan.kind == "folder" and machine.clock.monotonic_s() >= markers_s:
                markers_s += _MARKERS_S
                self.take_marker(even_if_full=False)
            machine.clock.sleep(self._pause_s())

    def drain(self) -> None:
        """Work until neither a job nor a marker is left."""
        site = self.machine.site
        while site.queue.jobs or site.derived.list("dirty/").keys:
            if not self._claim_and_do() and not self.take_marker():
                due_ns = site.queue.next_ns() or 0
                self.machine.clock.sleep(max(0.0, (due_ns - site.timeline.now_ns) / NS) + 0.01)

    def take_marker(self, *, even_if_full: bool = True) -> bool:
        """Offer the job of a marker."""
        take = partial(self.machine.offers.take_marker, even_if_full=even_if_full)
        return self.machine.do(Call("markers", ""), take).answer is True

    def _pause_s(self) -> float:
        due_ns, now_ns = self.machine.site.queue.next_ns(), self.machine.site.timeline.now_ns
        wait_s = 5.0 if due_ns is None else (due_ns - now_ns) / NS
        return min(max(wait_s, 0.3), 5.0)

    def _claim_and_do(self) -> bool:
        machine, plan = self.machine, self.machine.site.plan
        due_ns = machine.site.queue.next_ns()
        if due_ns is None or due_ns > machine.site.timeline.now_ns:
            return False
        limit = machine.dice.pick((1, 1, 3))
        call = Call("claim", "")
        machine.do(call, lambda: machine.door.claim(limit, lease_s=plan.lease_s))
        leases = call.answer if isinstance(call.answer, list) else []
        for lease in leases:
            self._do(lease)
        return True

    def _do(self, lease: Lease) -> None:
        machine, timeline = self.machine, self.machine.site.timeline
        thread = Thread(lease.job.scope, lease.job.conversation_id)
        delivery = Delivery("job", thread.id, thread=thread, began_ns=timeline.now_ns)
        machine.site.rules.begins(delivery)
        machine.do(delivery, lambda: self._job(lease.job, delivery))
        delivery.ended_ns = timeline.now_ns
        if delivery.crashed:
            return
        if delivery.error is None:
            machine.do(Call("done", thread.id), lambda: machine.door.done(lease))
        elif machine.dice.chance(0.5):
            # Else the lease ends by itself.
            machine.do(Call("back", thread.id), lambda: machine.door.give_back(lease, delay_s=2))

    def _note(self, reading: Reading) -> None:
        site = self.machine.site
        site.rules.readings.append(reading)
        words = f"reading {reading.number} of {[*reading.texts]} finds {len(reading.found)}"
        site.trace.said(site.timeline.now_ns, reading.delivery, words, f"usable={reading.usable}")

    def _job(self, job: Job, delivery: Delivery) -> None:
        machine, site = self.machine, self.machine.site
        extractor = FickleExtractor(
            machine.clock,
            lambda: site.timeline.now_ns,
            machine.dice,
            self.mood,
            site.plan.longest,
            self._note,
            self.readings,
            delivery,
        )
        run_job(
            job,
            store=machine.data,
            derived=machine.derived,
            clock=machine.clock,
            entropy=machine.entropy,
            extractor=extractor,
            offers=machine.offers,
            budget=Budget(clock=machine.clock, seconds=machine.dice.pick(_BUDGETS_S)),
            daily_tokens=0,
            index=lambda _job, _budget: True,
        )
