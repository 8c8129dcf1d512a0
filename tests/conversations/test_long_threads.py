"""What a thread of 100,000 turns costs: what one of 1,000 costs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model.turn import TurnDraft
from everturn.ports.object_store import Etag, Sentinel, StoredObject
from scenarios.process import Process
from scenarios.world import World

_TURN = TurnDraft("user", "x" * 440)
_BATCH = 500
# Three seals of some 370 turns each fill a segment; then all begins anew.
_CYCLE = 1_110


@dataclass
class _Cost:
    """Requests, and bytes of bodies both ways."""

    requests: int = 0
    moved: int = 0


class _WeighingStore(MemoryStore):
    """Counts what its gets and puts cost."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.cost = _Cost()

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        found = super().get(key, unless_etag=unless_etag)
        self._add(len(found.body) if isinstance(found, StoredObject) else 0)
        return found

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        self._add(len(body))
        return super().put(key, body, expect=expect, meta=meta)

    def _add(self, size: int) -> None:
        self.cost.requests += 1
        self.cost.moved += size

    def cost_of(self, call: Callable[[], object], times: int = 1) -> _Cost:
        self.cost = _Cost()
        for _ in range(times):
            call()
        return self.cost


def _grow(process: Process, to: int) -> None:
    count = process.read(last=1).record.head.turn_count if to > 1_000 else 0
    while count < to:
        count = process.append_drafts([_TURN] * min(_BATCH, to - count)).turn_count


@pytest.mark.slow
def test_an_append_and_a_page_cost_at_100_000_turns_what_they_cost_at_1_000() -> None:
    clock = ManualClock()
    store = _WeighingStore(clock)
    world = World(clock=clock, data=store)
    process, other = world.process(), world.process()
    appends, pages = list[_Cost](), list[_Cost]()
    for turns in (1_000, 100_000):
        _grow(process, turns)
        appends.append(store.cost_of(lambda: process.append_drafts([_TURN]), _CYCLE))
        pages.append(store.cost_of(lambda at=turns // 2: other.page(at, limit=50)))  # type: ignore[misc]
        assert store.cost_of(lambda: other.read(last=16)).requests == 1

    short, long = appends
    assert long.moved <= 1.3 * short.moved
    assert long.requests <= 1.3 * short.requests
    assert long.requests <= 1.02 * _CYCLE
    assert pages[1].requests <= 3
    assert pages[1].moved <= 1.3 * 1_024 * 1_024
