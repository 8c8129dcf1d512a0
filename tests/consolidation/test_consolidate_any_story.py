"""Whatever is said, taken back and consolidated, well or badly: memories are what is left of it."""

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consolidation.consolidation_calls import assert_nothing_waits, assert_nowhere, mentions, read
from consolidation.consolidations import PlannedExtractor, mark_of, memories
from everturn.conversations.model import sealing
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import EverturnError
from fakes.faulty_store import Fault, FaultyStore
from fakes.nth_request import NthRequest, crash
from fakes.wrapped_store import Verb
from scenarios.process import CONVERSATION
from scenarios.sealed_world import SMALL
from scenarios.world import World

pytestmark = pytest.mark.slow

_POISON = "poison"
_POOL = ("Dana likes tea.", "The port is 8080.", "Quokkas are small.", f"My {_POISON} note.")


class Said(NamedTuple):
    """A turn as it was said; "" where it was redacted."""

    role: str
    text: str


class Append(NamedTuple):
    """Turns to append at once."""

    turns: tuple[Said, ...]


class Redact(NamedTuple):
    """Redact a turn, counted from the newest."""

    back: int


class Pop(NamedTuple):
    """Take so many turns back, one by one."""

    times: int


class Delete(NamedTuple):
    """Delete the conversation, if it is there."""


class Create(NamedTuple):
    """Create it, if it is not there."""


class Consolidate(NamedTuple):
    """Consolidate, and how that ends."""

    longest: int
    how: str
    nth: int
    fault: Fault
    delay: int


_says = st.builds(
    Said,
    st.sampled_from(["user", "user", "user", "assistant"]),
    st.sampled_from(_POOL) | st.integers(0, 10**6).map(lambda n: f"Note {n} of the day."),
)
_consolidates = st.builds(
    Consolidate,
    st.integers(1, 5),
    st.sampled_from(["well", "well", "away", "broken", "crash", "crash after", "fault", "fault"]),
    st.integers(1, 30),
    st.sampled_from(Fault),
    st.sampled_from([1, 3, 1_000]),
)
_appends = st.lists(_says, min_size=1, max_size=6).map(tuple).map(Append)
_taken_back = st.builds(Redact, st.integers(1, 8)) | st.builds(Pop, st.integers(1, 4))
# A short story shows little, and one that ends with each second step even less.
_steps = st.lists(
    st.one_of(
        _appends, _appends, _consolidates, _consolidates, _taken_back, _taken_back, _taken_back,
        st.sampled_from([Delete(), Create(), Create()]),
    ),
    min_size=8,
    max_size=24,
)  # fmt: skip


@dataclass
class Story:
    """A conversation, and what is left of what was said in it."""

    world: World = field(default_factory=World)
    turns: list[Said] = field(default_factory=list)
    is_there: bool = False
    is_deleted: bool = False
    once_said: set[str] = field(default_factory=set)
    late: list[FaultyStore] = field(default_factory=list)

    def tell(self, step: NamedTuple) -> None:
        """Let one thing happen."""
        self.world.clock.sleep(1)
        getattr(self, f"_{type(step).__name__.lower()}")(step)

    def extractor(self, longest: int = 3, how: str = "well") -> PlannedExtractor:
        """Return one that never can read poison, and fails as it is told."""
        poison = [text for text in self.once_said if _POISON in text]
        return PlannedExtractor(
            poison, is_broken=how == "broken", is_away=how == "away", longest=longest
        )

    def _append(self, step: Append) -> None:
        if self.is_deleted:
            return
        drafts = [TurnDraft(one.role, one.text) for one in step.turns]
        self.world.process().append_drafts(drafts)
        self.is_there = True
        self.turns += step.turns
        self.once_said |= {one.text for one in step.turns}

    def _redact(self, step: Redact) -> None:
        number = len(self.turns) - step.back
        if number >= 0:
            assert self.world.process().redact(number).complete
            self.turns[number] = Said(self.turns[number].role, "")

    def _pop(self, step: Pop) -> None:
        for _ in range(min(step.times, len(self.turns))):
            assert self.world.process().pop(expected=len(self.turns)).complete
            self.turns.pop()

    def _delete(self, _: Delete) -> None:
        if self.is_there:
            assert self.world.process().delete().complete
            self.turns.clear()
            self.is_there, self.is_deleted = False, True

    def _create(self, _: Create) -> None:
        if not self.is_there:
            self.world.process().create()
            self.is_there, self.is_deleted = True, False

    def _consolidate(self, step: Consolidate) -> None:
        requests: list[Verb] = []

        def nth(verb: Verb) -> Fault | None:
            requests.append(verb)
            return step.fault if len(requests) == step.nth else None

        faulty = FaultyStore(self.world.data, delay=step.delay)
        faulty.plan = nth if step.how == "fault" else faulty.plan
        at = step.nth if step.how.startswith("crash") else 0
        data = NthRequest(faulty, at, crash, after=step.how == "crash after")
        try:
            read(self.world, self.extractor(step.longest, step.how), data=data)
        except EverturnError as error:
            if not error.retryable:
                raise
        except KeyboardInterrupt:
            assert at
        self.late.append(faulty)


def _expected(turns: list[Said]) -> dict[str, list[tuple[str, int, int, str]]]:
    found: dict[str, list[tuple[str, int, int, str]]] = {}
    for number, one in enumerate(turns):
        if one.role == "user" and one.text and _POISON not in one.text:
            found.setdefault(one.text, []).append((CONVERSATION, number, number, one.text))
    return found


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(_steps)
def test_memories_are_what_is_left_of_what_was_said(steps: list[NamedTuple]) -> None:
    """Each cites the turns that say it, in words that stand there; nothing else is remembered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "LIMITS", SMALL)
        _tell(steps)


def _tell(steps: list[NamedTuple]) -> None:
    story = Story()
    for step in steps:
        story.tell(step)
    for store in story.late:
        store.land_all()
    for _ in range(2):
        read(story.world, story.extractor())
    found = memories(story.world)
    said = _expected(story.turns)
    assert {text: sorted(mentions(memory)) for text, memory in found.items()} == said
    assert all(memory.count == 1 for memory in found.values())
    assert mark_of(story.world).turns >= len(story.turns)
    if story.is_there:
        # What landed late for turns to come goes when they do.
        story.tell(Append((Said("assistant", "Noted."),)))
        read(story.world, story.extractor())
        assert_nothing_waits(story.world)
    assert_nowhere(story.world, *(story.once_said - {one.text for one in story.turns}))
