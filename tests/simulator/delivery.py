"""One delivery run from its seed: appends offer jobs, workers do them, all goes wrong that can."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import count

import pytest

from everturn.conversations.model import sealing
from everturn.storage.budget import Budget
from everturn.storage.list_keys import list_all
from everturn.upkeep.sweep import sweep
from everturn.values.keys import quarantine_prefix
from simulator.calls import Call
from simulator.delivery_actors import Appender, Editor, Worker, redact
from simulator.delivery_judge import judge_end, judge_promises
from simulator.delivery_plans import DeliveryPlan, draw_delivery_plan
from simulator.dice import Dice
from simulator.fickle_extractor import Mood
from simulator.inline_executor import InlineExecutor, without_threads
from simulator.machines import Machine, Site
from simulator.plans import SMALL_LIMITS
from simulator.timeline import NS
from simulator.trace import Trace

# Long enough for all leases to end, and for all late writes to land.
_AFTER_S = 900
# A sweep looks at what rested for hours, and removes what lay about for a day.
_DAYS_NS = 50 * 3_600 * NS


@dataclass(frozen=True)
class Delivered:
    """What was wrong in a run, how often what was done, and its trace."""

    problems: list[str]
    counts: Counter[str]
    trace: Trace


def deliver(
    seed: int, monkeypatch: pytest.MonkeyPatch, plan: DeliveryPlan | None = None
) -> Delivered:
    """Run one seed; what it patches stays until the monkeypatch is undone."""
    dice = Dice(f"delivery {seed}")
    site = Site(dice, plan or draw_delivery_plan(dice))
    without_threads(monkeypatch)
    monkeypatch.setattr(InlineExecutor, "eager", dice.chance(0.5))
    if site.plan.seals:
        monkeypatch.setattr(sealing, "LIMITS", SMALL_LIMITS)
    readings = count(1)
    _cast(site, readings)
    site.timeline.run()
    problems: list[str] = []
    end = partial(_end, site, readings, problems)
    site.timeline.spawn(end, at_ns=site.timeline.now_ns + _AFTER_S * NS)
    site.timeline.run()
    return Delivered([*site.rules.broken, *problems], _counts(site), site.trace)


def _cast(site: Site, readings: "count[int]") -> None:
    plan, dice, timeline = site.plan, site.dice, site.timeline
    numbers, start_ns = count(), timeline.now_ns
    for name in range(plan.appenders):
        appender = Appender(
            Machine(f"a{name}", site, plan.weather), numbers, appends=dice.number(1, 5)
        )
        timeline.spawn(appender.play, at_ns=start_ns + round(dice.between(0, 2) * NS))
    for name in range(plan.editors):
        editor = Editor(Machine(f"e{name}", site, plan.weather), calls=dice.number(1, 5))
        timeline.spawn(editor.play, at_ns=start_ns)
    until_ns = start_ns + round((4 * plan.rest_s + 2 * plan.settle_s + 60) * NS)
    for name in range(plan.workers):
        worker = Worker(Machine(f"w{name}", site, plan.weather), plan.mood, partial(next, readings))
        timeline.spawn(partial(worker.play, until_ns), at_ns=start_ns + NS)
    if plan.away_s:
        away_ns = start_ns + round(dice.between(0, 2 * plan.rest_s) * NS)
        site.queue.be_away(away_ns, away_ns + round(plan.away_s * NS))


def _end(site: Site, readings: "count[int]", problems: list[str]) -> None:
    """Let everything drain in fair weather, then sweep, then judge."""
    site.queue.oddity = 0.0
    worker = Worker(Machine("end", site), Mood(), partial(next, readings))
    worker.drain()
    while site.queue.redrive():
        worker.drain()
    problems += judge_promises(site)
    for thread, number in sorted(site.unfinished, key=str):
        if site.rules.turn_count(thread) > number and site.rules.turn(thread, number) is None:
            redact(worker.machine, thread, number)
    for _ in range(2):
        worker.machine.clock.sleep(_DAYS_NS / NS)
        worker.machine.do(Call("sweep", ""), partial(_sweep, worker.machine))
        worker.drain()
    problems += judge_end(site)


def _sweep(machine: Machine) -> object:
    return sweep(
        data=machine.data,
        derived=machine.derived,
        clock=machine.clock,
        entropy=machine.entropy,
        budget=Budget(clock=machine.clock, seconds=600),
        offers=machine.offers,
    )


def _counts(site: Site) -> Counter[str]:
    counts = Counter[str]()
    for call in site.calls:
        told = "crashed" if call.crashed else type(call.error or call.answer).__name__
        counts[f"{call.name.split(' ')[1]} {told}"] += 1
    counts += site.queue.counts
    rules = site.rules
    quarantined = (list_all(site.data, quarantine_prefix(*one)) for one in site.plan.threads)
    counts["quarantined"] = sum(len(list(entries)) for entries in quarantined)
    counts["readings"] = len(rules.readings)
    counts["turns"] = sum(map(rules.turn_count, site.plan.threads))
    counts["posthumous"] = len(rules.posthumous)
    counts["overlaps"] = sum(
        one.overlaps(other)
        for at, one in enumerate(rules.deliveries)
        for other in rules.deliveries[:at]
        if one.thread == other.thread
    )
    return counts
