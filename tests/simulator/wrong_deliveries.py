"""Consolidation with one thing left out: what a delivery run has to find, or it finds nothing.

Each is put in place by a monkeypatch.
"""

from collections.abc import Callable
from typing import Any

import pytest

from everturn.consolidation import window_step
from everturn.consolidation.enqueue_job import JobOffers
from everturn.consolidation.files import ConsolidationFiles, Staged
from everturn.consolidation.outcome import Consolidated
from everturn.consolidation.read_span import Stretch
from everturn.consolidation.window_step import ConsolidationWork
from everturn.conversations.model.watermark import Watermark
from everturn.conversations.read_watermark import StoredWatermark
from everturn.ports.object_store import ANY, StoredObject
from everturn.ports.queue import JobQueue, Offered
from everturn.values.job import parse_job
from simulator import machines

Wrong = Callable[[pytest.MonkeyPatch], None]


def deciding_anew_on_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stage nothing: whoever comes after a crash asks the model again."""

    def stage(_self: ConsolidationFiles, staged: Staged, *_args: object, **_more: object) -> Staged:
        return staged

    monkeypatch.setattr(ConsolidationFiles, "stage", stage)


def moving_the_watermark_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say that turns were read, then make memories of them."""

    def applied(
        self: ConsolidationWork, staged: Staged, known: StoredWatermark, stretch: Stretch
    ) -> Consolidated:
        first = stretch.mark.turns
        self._files.move(
            known, stretch.mark.past(stretch.new[: staged.end - first], now_ns=self.clock.now_ns())
        )
        self._make_memories(staged, stretch)
        return Consolidated(behind=staged.end < stretch.turn_count)

    monkeypatch.setattr(ConsolidationWork, "_finish", applied)


def overwriting_the_watermark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the watermark whatever is there."""

    def move(self: ConsolidationFiles, _known: StoredWatermark, mark: Watermark) -> StoredWatermark:
        return StoredWatermark(mark, self.store.overwrite(self._watermark_key, mark.encode()))

    monkeypatch.setattr(ConsolidationFiles, "move", move)


def without_a_last_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not look whether what was read is still there when its memories are."""

    def look(*_args: Any, **_more: Any) -> bool:  # noqa: ANN401  # whatever the right one takes
        return True

    monkeypatch.setattr(window_step, "take_back_dead", look)


def removing_a_marker_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove a marker, then offer its job."""

    def taken_up(
        self: JobOffers, key: str, queue: JobQueue, *, even_if_full: bool
    ) -> Offered | None:
        found = self._derived.get(key)
        if not isinstance(found, StoredObject):
            return None
        self._derived.delete(key, expect=ANY)
        job = parse_job(found.body.decode())
        return queue.offer(job, delay_s=self._until_over(key), even_if_full=even_if_full)

    monkeypatch.setattr(JobOffers, "_taken_up", taken_up)


def being_quiet_for_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer no job for longer than the one before settles."""

    def offers(queue: JobQueue, *args: Any, **_more: Any) -> JobOffers:  # noqa: ANN401  # passed on
        return JobOffers(queue, *args, quiet_s=2.0 * args[-1] + 5)

    monkeypatch.setattr(machines, "JobOffers", offers)
