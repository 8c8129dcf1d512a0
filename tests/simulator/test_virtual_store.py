"""Each fate of a request: what is stored then, and what its sender is told."""

from dataclasses import dataclass

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.errors import OutcomeUnknownError, PreconditionFailedError, UnavailableError
from everturn.ports.object_store import ABSENT
from simulator.calls import Call
from simulator.dice import Dice
from simulator.fates import Fate, Weather
from simulator.timeline import Timeline, VirtualClock
from simulator.trace import Trace
from simulator.virtual_store import Crash, VirtualStore


@dataclass(frozen=True, slots=True)
class _Fixed(Weather):
    """One fate for every request."""

    only: Fate = Fate.FINE

    def fate(self, dice: Dice) -> Fate:
        """Return it."""
        del dice
        return self.only


def _put(fate: Fate) -> tuple[type[BaseException] | None, bool, bool]:
    """Put under this fate: what was raised; whether it was stored then, and in the end."""
    timeline = Timeline()
    inner = MemoryStore(VirtualClock(timeline))
    trace = Trace(timeline.now_ns)
    store = VirtualStore(inner, timeline, Dice("put"), trace, lambda *_: None)
    store.weather, store.call = _Fixed(0, 0, fate), Call("put", "c1")
    told: list[tuple[type[BaseException] | None, bool]] = []

    def act() -> None:
        try:
            store.put("k", b"", expect=ABSENT)
        except (OutcomeUnknownError, PreconditionFailedError, UnavailableError, Crash) as error:
            told.append((type(error), inner.get("k") is not None))
        else:
            told.append((None, inner.get("k") is not None))

    timeline.spawn(act, at_ns=timeline.now_ns)
    timeline.run()
    return *told[0], inner.get("k") is not None


@pytest.mark.parametrize(
    ("fate", "raised", "stored_then", "stored_at_last"),
    [
        (Fate.FINE, None, True, True),
        (Fate.STALLED, None, True, True),
        (Fate.LOST, OutcomeUnknownError, False, False),
        (Fate.ANSWER_LOST, OutcomeUnknownError, True, True),
        (Fate.FAILED_BEFORE, OutcomeUnknownError, False, False),
        (Fate.FAILED_AFTER, OutcomeUnknownError, True, True),
        (Fate.REFUSED, PreconditionFailedError, False, False),
        (Fate.BUSY, UnavailableError, False, False),
        (Fate.CRASH_BEFORE, Crash, False, False),
        (Fate.CRASH_AFTER, Crash, False, True),
    ],
)
def test_a_put_is_stored_and_answered_as_its_fate_says(
    fate: Fate, raised: type[BaseException] | None, *, stored_then: bool, stored_at_last: bool
) -> None:
    assert _put(fate) == (raised, stored_then, stored_at_last)


def test_a_late_put_is_stored_in_the_end_and_unclear_at_once() -> None:
    raised, _, stored_at_last = _put(Fate.LATE)
    assert (raised, stored_at_last) == (OutcomeUnknownError, True)


def test_every_fate_has_a_test() -> None:
    marks = test_a_put_is_stored_and_answered_as_its_fate_says.pytestmark  # type: ignore[attr-defined]  # by pytest
    cases = {case[0] for mark in marks for case in mark.args[1]}
    assert cases | {Fate.LATE} == set(Fate)
