"""Conversations against a model of them: two processes, faults, every use case, in any order."""

from collections.abc import Callable

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from conversations.conversations_model import (
    NAMES,
    REQUESTS,
    TITLES,
    TROUBLES,
    Request,
    Thread,
    Trouble,
)
from everturn.conversations.append_turns import AppendOutcome
from everturn.conversations.model import sealing
from everturn.conversations.model.patch import Patch
from everturn.errors import (
    ConflictError,
    ConversationGoneError,
    EverturnError,
    InvalidRequestError,
    NotFoundError,
)
from everturn.ports.object_store import MAX_META_BYTES
from everturn.storage.list_keys import list_all
from everturn.values.keys import segment_name_of, segments_prefix
from fakes.faulty_store import FaultyStore, Script, scripted
from scenarios.process import Process
from scenarios.world import World
from simulator.plans import SMALL_LIMITS


class ConversationsMachine(RuleBasedStateMachine):
    """Says after each step that the store holds what the model holds."""

    def make_world(self) -> World:
        """Return an empty world: what a subclass gives."""
        raise NotImplementedError

    @initialize(seals=st.booleans())
    def start(self, *, seals: bool) -> None:
        """Begin with nothing there; with `seals`, three turns are enough for a segment."""
        self.monkeypatch = pytest.MonkeyPatch()
        if seals:
            self.monkeypatch.setattr(sealing, "LIMITS", SMALL_LIMITS)
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
            made_ns, again = made.summary.updated_ns, thread is not None
            self.model[name] = Thread(title=title, updated_ns=made_ns, was_used=again)
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
        self.land_late_writes()
        segments = len(self._segments(name))
        receipt = self._process(trouble).delete(name)
        assert (receipt.turns, receipt.deleted["segments"]) == (len(thread.texts), segments)
        assert (receipt.complete, self._segments(name)) == (True, [])
        updated_ns = self.world.record(name).head.updated_ns
        assert updated_ns > thread.updated_ns
        self.model[name] = Thread(deleted=True, updated_ns=updated_ns)

    @rule(name=NAMES, number=st.integers(0, 3), trouble=TROUBLES)
    def redact(self, name: str, number: int, trouble: Trouble) -> None:
        """Redact a turn that is there; one that is redacted already stays as it is."""
        thread = self._live(name)
        process = self._process(trouble)
        if thread is None or number >= len(thread.texts):
            _refused(lambda: process.redact(number, conversation_id=name), NotFoundError)
            return
        outcome = process.redact(number, conversation_id=name)
        assert outcome.updated_ns == thread.updated_ns + (number not in thread.redacted)
        thread.texts[number], thread.updated_ns = "", outcome.updated_ns
        thread.redacted.add(number)

    @rule(name=NAMES, off_by=st.sampled_from([0, 0, 0, 1]), trouble=TROUBLES)
    def pop(self, name: str, off_by: int, trouble: Trouble) -> None:
        """Take back the newest turn, if the count is as expected."""
        thread = self._live(name)
        process = self._process(trouble)
        expected = max((len(thread.texts) if thread else 0) + off_by, 1)
        if thread is None or expected != len(thread.texts):
            refusal = NotFoundError if thread is None else ConflictError
            _refused(lambda: process.pop(expected=expected, conversation_id=name), refusal)
            return
        outcome = process.pop(expected=expected, conversation_id=name)
        assert outcome.turn is not None
        assert (outcome.turn.index, outcome.turn.text) == (expected - 1, thread.texts.pop())
        assert outcome.updated_ns > thread.updated_ns
        thread.updated_ns, thread.was_used = outcome.updated_ns, True
        thread.redacted.discard(expected - 1)

    @rule()
    def sweep(self) -> None:
        """A day later: what was never used goes, and no segment stays but those that count."""
        self.land_late_writes()
        self.world.clock.sleep(90_000)
        outcome = self.world.process().sweep()
        unused = {name for name, thread in self.model.items() if thread.is_unused}
        assert (outcome.complete, outcome.swept.empty) == (True, len(unused))
        self.model = {name: self.model[name] for name in self.model if name not in unused}
        for name in self.model:
            sealed = self.world.record(name).head.sealed
            assert set(self._segments(name)) == (sealed.names if sealed else set())

    @rule(number=st.integers(0, 1))
    def restart(self, number: int) -> None:
        """A process ends and another takes its place: its cache is cold."""
        self.processes[number] = self.world.process(self.stores[number])

    @rule(seconds=st.sampled_from([-60.0, 0.5, 3_600.0]))
    def let_time_pass(self, seconds: float) -> None:
        """The clock goes on, or back."""
        self.world.clock.sleep(seconds)

    @rule()
    def land_late_writes(self) -> None:
        """Whatever was delayed arrives now, or is refused now."""
        for store in self.stores:
            store.land_all()

    @rule(limit=st.integers(1, 3))
    def walk(self, limit: int) -> None:
        """A list shows what has turns, newest first, each once."""
        rows = self.world.process().walk(limit=limit)
        live = {name: thread for name, thread in self.model.items() if thread.texts}
        wanted = sorted(live, key=lambda name: (-live[name].updated_ns, name))
        assert [row.conversation_id for row in rows] == wanted
        assert [row.turn_count for row in rows] == [len(live[name].texts) for name in wanted]
        assert [row.title for row in rows] == [live[name].shown_title for name in wanted]

    @invariant()
    def the_store_holds_what_the_model_holds(self) -> None:
        for name, thread in self.model.items():
            record = self.world.record(name)
            assert self._texts(name) == thread.texts
            assert record.head.updated_ns == thread.updated_ns >= record.newest_ns
            assert record.head.title == thread.title
            assert (record.head.deleted is not None) == thread.deleted
            meta = self.world.stored(name).meta
            assert sum(len(key) + len(value) for key, value in meta.items()) <= MAX_META_BYTES

    def teardown(self) -> None:
        self.monkeypatch.undo()

    def _texts(self, name: str) -> list[str]:
        """Return what a process without a past reads."""
        if self._live(name) is None:
            return []
        return [turn.text for turn in self.world.process().read(name).turns]

    def _segments(self, name: str) -> list[str]:
        entries = list_all(self.world.data, segments_prefix(self.world.scope, name))
        return [segment_name_of(entry.key) for entry in entries]

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
