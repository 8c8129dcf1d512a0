"""A client's process: makes calls one after the other, notes what it is told, may crash."""

from collections.abc import Callable
from dataclasses import dataclass, field

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SeededEntropy
from everturn.errors import EverturnError
from everturn.values.keys import Scope
from scenarios.process import SCOPE, Process
from simulator.calls import Call
from simulator.commit_rules import CommitRules
from simulator.dice import Dice
from simulator.fates import FAIR, Weather
from simulator.journal import Journal
from simulator.timeline import NS, Timeline, VirtualClock
from simulator.trace import Trace
from simulator.virtual_store import Crash, VirtualStore

# Clocks of machines differ by so much.
_MOST_AHEAD_NS = 2 * NS


@dataclass
class Stage:
    """What all clients of a run share."""

    dice: Dice
    conversation_ids: tuple[str, ...]
    scope: Scope = SCOPE
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with empty stores."""
        self.timeline = Timeline()
        clock = VirtualClock(self.timeline)
        # Pages of three keys: a listing takes several requests, and others come between.
        self.data = MemoryStore(clock, page_keys=3)
        self.derived = MemoryStore(clock)
        self.trace = Trace(self.timeline.now_ns)
        self.journal = Journal(self.data, self.scope, self.conversation_ids)
        self.rules = CommitRules(self.journal)


class Client:
    """One process after another under one name: after a crash a cold one."""

    def __init__(self, name: str, stage: Stage, weather: Weather = FAIR) -> None:
        """Start the first process."""
        self.stage, self.dice, self._name = stage, stage.dice, name
        ahead_ns = round(self.dice.between(-1, 1) * _MOST_AHEAD_NS)
        self._clock = VirtualClock(stage.timeline, ahead_ns=ahead_ns)
        self._entropy = SeededEntropy(f"{name} {self.dice.share()}")
        rules = stage.rules
        self._stores = [
            VirtualStore(
                inner,
                stage.timeline,
                self.dice,
                stage.trace,
                lambda _, key, call: rules.wrote(key, call),
            )
            for inner in (stage.data, stage.derived)
        ]
        for store in self._stores:
            store.weather = weather
        self._start()

    def _start(self) -> None:
        data, derived = self._stores
        self.process = Process(data, self._clock, self._entropy, derived, scope=self.stage.scope)

    def rest(self, longest_s: float) -> None:
        """Do nothing for a while."""
        self._clock.sleep(self.dice.between(0, longest_s))

    def do(self, call: Call, act: Callable[[Process], object]) -> Call:
        """Make a call, and note what it was told."""
        stage = self.stage
        call.name = f"{self._name}.{len(stage.calls)} {call.name}"
        stage.calls.append(call)
        for store in self._stores:
            store.call = call
        call.began = stage.journal.tick
        stage.trace.said(stage.timeline.now_ns, call, "begins")
        try:
            call.answer = act(self.process)
        except EverturnError as error:
            call.error = error
        except Crash:
            self._start()
        call.ended = stage.journal.tick
        stage.trace.told(stage.timeline.now_ns, call)
        return call
