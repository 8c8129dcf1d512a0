"""Conversations against a model of them: two processes, faults, every use case, in any order.

Not here: calls at the same time (test_races.py, test_append_under_faults.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from everturn.domain.patch import Patch
from everturn.errors import (
    ConflictError,
    ConversationGoneError,
    EverturnError,
    InvalidRequestError,
    NotFoundError,
)
from everturn.ports.object_store import MAX_META_BYTES
from everturn.services.append_turns import AppendOutcome
from services.faulty_store import Fault, FaultyStore, Script, scripted
from services.process import Process
from services.world import World


@dataclass(frozen=True)
class Trouble:
    """Which process calls, what becomes of its first writes, when the delayed ones land."""

    process: int
    faults: list[Fault | None]
    delay: int


@dataclass(frozen=True)
class Request:
    """An append; `off_by` is how far its expected turn count is from the true one."""

    name: str
    texts: list[str]
    key: str | None
    ts: str | None
    off_by: int | None
    must_exist: bool

    @property
    def said(self) -> list[str]:
        """The texts that are not blank."""
        return [text for text in self.texts if text.strip()]


@dataclass
class Thread:
    """What the model knows of one conversation; `keys` says which append came with a key."""

    texts: list[str] = field(default_factory=list)
    title: str = ""
    deleted: bool = False
    updated_ns: int = 0
    keys: dict[str, tuple[Request, int]] = field(default_factory=dict)


NAMES = st.sampled_from(["c1", "c2", "\u00fcber all"])
TITLES = st.sampled_from(["", "t", "u"])
_UNCLEAR = (Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.DELAYED, Fault.REFUSED)
TROUBLES = st.builds(
    Trouble,
    process=st.integers(0, 1),
    faults=st.lists(st.sampled_from([None, *_UNCLEAR]), max_size=3),
    delay=st.integers(1, 4),
)
REQUESTS = st.builds(
    Request,
    name=NAMES,
    texts=st.lists(st.sampled_from(["yes", "no", " "]), min_size=1, max_size=3),
    key=st.sampled_from([None, None, "k1", "k2"]),
    # A time given makes equal turns equal in every byte.
    ts=st.sampled_from([None, "2025-05-05T05:05:05Z"]),
    off_by=st.sampled_from([None, None, 0, 1]),
    must_exist=st.booleans(),
)


class ConversationsMachine(RuleBasedStateMachine):
    """Says after each step that the store holds what the model holds."""

    def make_world(self) -> World:
        """Return an empty world: what a subclass gives."""
        raise NotImplementedError

    @initialize()
    def start(self) -> None:
        self.world = self.make_world()
        self.stores = [FaultyStore(self.world.data) for _ in range(2)]
        self.processes = [self.world.process(store) for store in self.stores]
        self.model: dict[str, Thread] = {}

    @rule(request=REQUESTS, trouble=TROUBLES)
    def append(self, request: Request, trouble: Trouble) -> None:
        """Append as the model says: gone, replayed, refused, or behind what is there."""
        thread = self.model.get(request.name, Thread())

        def call() -> AppendOutcome:
            return self._process(trouble).append(
                *request.texts,
                to=request.name,
                key=request.key,
                ts=request.ts,
                expected=None if request.off_by is None else len(thread.texts) + request.off_by,
                must_exist=request.must_exist,
            )

        refusal = self._refusal(request)
        if refusal is not None:
            _refused(call, refusal)
        elif request.key in thread.keys:
            outcome = call()
            assert outcome.replayed
            assert outcome.first_turn == thread.keys[request.key][1]
        else:
            self._appended(request, thread, call())

    def _appended(self, request: Request, thread: Thread, outcome: AppendOutcome) -> None:
        assert outcome.first_turn == len(thread.texts)
        assert outcome.appended == len(request.said)
        assert outcome.ignored == len(request.texts) - len(request.said)
        if request.said:
            assert outcome.updated_ns > thread.updated_ns
            self.model[request.name] = thread
            thread.texts += request.said
            thread.updated_ns = outcome.updated_ns
            if request.key is not None:
                thread.keys[request.key] = (request, outcome.first_turn)
        assert outcome.turn_count == len(thread.texts)

    def _refusal(self, request: Request) -> type[EverturnError] | None:
        thread = self.model.get(request.name)
        if thread is None and request.must_exist:
            return NotFoundError
        if thread is not None and thread.deleted:
            return ConversationGoneError
        if thread is not None and request.key in thread.keys:
            first, _ = thread.keys[request.key]
            same = (first.texts, first.ts) == (request.texts, request.ts)
            return None if same else InvalidRequestError
        return ConflictError if request.off_by else None

    @rule(name=NAMES, title=TITLES, trouble=TROUBLES)
    def create(self, name: str, title: str, trouble: Trouble) -> None:
        """Create what is new or deleted; leave the rest as it is."""
        thread = self.model.get(name)
        made = self._process(trouble).create(name, title=title)

        assert made.created == (thread is None or thread.deleted)
        if made.created:
            assert thread is None or made.summary.updated_ns > thread.updated_ns
            self.model[name] = Thread(title=title, updated_ns=made.summary.updated_ns)
        assert made.summary.turn_count == len(self.model[name].texts)

    @rule(name=NAMES, title=TITLES, trouble=TROUBLES)
    def patch(self, name: str, title: str, trouble: Trouble) -> None:
        """Patch what is there, by one nanosecond where it changes."""
        thread = self._live(name)
        if thread is None:
            _refused(lambda: self._process(trouble).patch(Patch(title=title), name), NotFoundError)
            return
        row = self._process(trouble).patch(Patch(title=title), name)
        assert row.updated_ns == thread.updated_ns + (title != thread.title)
        thread.title, thread.updated_ns = title, row.updated_ns

    @rule(name=NAMES, trouble=TROUBLES)
    def delete(self, name: str, trouble: Trouble) -> None:
        """Delete what is there; the receipt counts its turns."""
        thread = self._live(name)
        if thread is None:
            _refused(lambda: self._process(trouble).delete(name), NotFoundError)
            return
        assert self._process(trouble).delete(name).turns == len(thread.texts)
        updated_ns = self.world.record(name).head.updated_ns
        assert updated_ns > thread.updated_ns
        self.model[name] = Thread(deleted=True, updated_ns=updated_ns)

    @rule(number=st.integers(0, 1))
    def restart(self, number: int) -> None:
        """A process ends and another takes its place: its cache is cold."""
        self.processes[number] = self.world.process(self.stores[number])

    @rule(seconds=st.sampled_from([-60.0, 0.5, 3_600.0]))
    def let_time_pass(self, seconds: float) -> None:
        """The clock goes on, or back."""
        self.world.clock.sleep(seconds)

    @rule(number=st.integers(0, 1))
    def land_late_writes(self, number: int) -> None:
        """Whatever was delayed arrives now, or is refused now."""
        self.stores[number].land_all()

    @rule(limit=st.integers(1, 3))
    def walk(self, limit: int) -> None:
        """A list shows what has turns, newest first, each once."""
        rows = self.world.process().walk(limit=limit)
        live = {name: thread for name, thread in self.model.items() if thread.texts}
        wanted = sorted(live, key=lambda name: (-live[name].updated_ns, name))
        assert [row.conversation_id for row in rows] == wanted
        assert [row.turn_count for row in rows] == [len(live[name].texts) for name in wanted]

    @invariant()
    def the_store_holds_what_the_model_holds(self) -> None:
        for name, thread in self.model.items():
            record = self.world.record(name)
            assert [turn.text for turn in record.readable_turns()] == thread.texts
            assert record.head.updated_ns == thread.updated_ns >= record.newest_ns
            assert record.head.title == thread.title
            assert (record.head.deleted is not None) == thread.deleted
            meta = self.world.stored(name).meta
            assert sum(len(key) + len(value) for key, value in meta.items()) <= MAX_META_BYTES

    def _live(self, name: str) -> Thread | None:
        thread = self.model.get(name)
        return None if thread is None or thread.deleted else thread

    def _process(self, trouble: Trouble) -> Process:
        """Return the process, and let its next writes fail."""
        script: Script = {}
        for attempt, fault in enumerate(trouble.faults, start=1):
            if fault is not None:
                script["put", attempt] = fault
        self.stores[trouble.process].plan = scripted(script)
        self.stores[trouble.process].delay = trouble.delay
        return self.processes[trouble.process]


def _refused(call: Callable[[], object], refusal: type[EverturnError]) -> None:
    with pytest.raises(refusal):
        call()
