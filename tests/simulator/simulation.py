"""One run from its seed: some clients on one or two conversations, then the judgement."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import partial

import pytest

from everturn.conversations.model import sealing, write_ring
from everturn.ports.object_store import StoredObject
from everturn.storage.list_keys import list_all
from everturn.values.go_json import dumps
from scenarios.process import Process
from simulator.actors import SWEEPER, Actor, Sayings
from simulator.answer_rules import judge_answers
from simulator.calls import Call
from simulator.clients import Client, Stage
from simulator.dice import Dice
from simulator.inline_executor import InlineExecutor, without_threads
from simulator.journal import Version
from simulator.plans import SMALL_LIMITS, Plan, draw_plan
from simulator.timeline import NS
from simulator.trace import Trace

_HOUR_NS = 3_600 * NS
# A day and more later: then orphans are old enough to be swept, while others write.
_NEXT_DAYS_NS = (25 * _HOUR_NS, 50 * _HOUR_NS)
_END_NS = 100 * _HOUR_NS
_ID = re.compile(r'"id":(\d+)')


@dataclass(frozen=True)
class Result:
    """What was wrong in a run, how often what was done, and its trace."""

    problems: list[str]
    counts: Counter[str]
    trace: Trace


def run(seed: int, monkeypatch: pytest.MonkeyPatch, plan: Plan | None = None) -> Result:
    """Run one seed; what it patches stays until the monkeypatch is undone."""
    dice = Dice(f"run {seed}")
    plan = plan or draw_plan(dice)
    _shrink(plan, monkeypatch)
    without_threads(monkeypatch)
    monkeypatch.setattr(InlineExecutor, "eager", dice.chance(0.5))
    stage = Stage(dice, plan.conversation_ids)
    _cast(stage, plan)
    stage.timeline.run()
    left = _end(stage, with_ids=plan.with_ids)
    problems = [*stage.rules.broken, *judge_answers(stage.calls, stage.journal), *left]
    return Result(problems, _counts(stage), stage.trace)


def _shrink(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    if plan.ring_entries is not None:
        monkeypatch.setattr(write_ring, "RING_ENTRIES", plan.ring_entries)
    if plan.seals:
        monkeypatch.setattr(sealing, "LIMITS", SMALL_LIMITS)


def _cast(stage: Stage, plan: Plan) -> None:
    """Give out the roles; each begins today or on one of the next days."""
    dice, start_ns = stage.dice, stage.timeline.now_ns
    sayings = Sayings(dice, with_ids=plan.with_ids)
    for name in "abcdefgh"[: dice.number(4, 8)]:
        role = plan.roles[0] if name == "a" else dice.pick(plan.roles)
        is_later = role is SWEEPER or dice.chance(0.2)
        begin_ns = start_ns + (dice.pick(_NEXT_DAYS_NS) if is_later else 0)
        actor = Actor(Client(name, stage, plan.weather), sayings, role, calls=dice.number(3, 8))
        stage.timeline.spawn(actor.play, at_ns=begin_ns + round(dice.between(0, 0.5) * NS))


def _end(stage: Stage, *, with_ids: bool) -> list[str]:
    """Sweep and read everything in fair weather, when all is over; what is left that should not."""
    client = Client("end", stage)

    def act() -> None:
        # The first may have to end a pass that another sweep began when all was younger.
        for _ in range(2):
            client.do(Call("sweep", stage.conversation_ids[0], "sweep"), lambda it: it.sweep())
        for id_ in stage.conversation_ids:
            client.do(Call("list", id_, "list"), lambda it: it.list_page())
            client.do(
                Call("read", id_, "read", index=-1, limit=1_000),
                partial(Process.read, conversation_id=id_),
            )

    stage.timeline.spawn(act, at_ns=stage.timeline.now_ns + _END_NS)
    stage.timeline.run()
    heads = [versions[-1] for versions in stage.journal.versions.values()]
    problems = ["a deletion is not finished" for head in heads if not head.is_live | head.is_done]
    return problems + (_leftovers(stage, heads) if with_ids else [])


def _leftovers(stage: Stage, heads: list[Version]) -> list[str]:
    """Compare the numbers of turns in all objects with those of the turns that there are."""
    there = {number for head in heads for number in _ID.findall(dumps(list(head.turns)))}
    entries = list_all(stage.data, "")
    bodies = (stage.data.get(entry.key) for entry in entries)
    stored = {
        number
        for stored in bodies
        if isinstance(stored, StoredObject)
        for number in _ID.findall(stored.body.decode())
    }
    return [f"turn {number} is left somewhere" for number in sorted(stored - there)]


def _counts(stage: Stage) -> Counter[str]:
    counts = Counter[str]()
    for call in stage.calls:
        told = "crashed" if call.crashed else type(call.error or call.answer).__name__
        counts[f"{call.kind} {told}"] += 1
    heads = [versions[-1].head for versions in stage.journal.versions.values()]
    counts["segments at the end"] = sum(
        len(head.sealed.segments) for head in heads if head and head.sealed
    )
    counts["writes"] = stage.journal.tick
    return counts
