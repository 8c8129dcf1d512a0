"""Jobs come twice, late, in any order, and their workers crash.

No turn is lost, none counts twice.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest

from simulator.delivery import Delivered, deliver
from simulator.delivery_plans import CALM, MUTE, DeliveryPlan
from simulator.job_queue import QueueKind

_SEEDS = 200
_MORE_SEEDS = 3_300
_CHUNK = 100

SEEDS_THAT_FAILED: dict[int, str] = {
    97: "what was staged before was removed by one who came late, and decided anew",
    850: "somebody found nothing in turns while another made memories of them",
    1635: "what was staged for two turns was replaced by one who knew the first alone",
    1732: "a store in conflict kept no note of a turn that was passed over",
    3060: "a model was asked again since nobody knew whether the watermark had moved",
}
"""What each of them has shown when it failed; they stay, though a run changes with its requests."""


@pytest.mark.parametrize("seed", SEEDS_THAT_FAILED)
def test_a_delivery_seed_that_failed_once_holds(seed: int) -> None:
    _check([seed])


@pytest.mark.parametrize("first", range(0, _SEEDS, _CHUNK))
def test_whatever_is_delivered_each_turn_is_consolidated_once(first: int) -> None:
    _check(range(first, first + _CHUNK))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(_SEEDS, _SEEDS + _MORE_SEEDS, _CHUNK))
def test_over_many_more_deliveries_too(first: int) -> None:
    _check(range(first, first + _CHUNK))


def test_where_nothing_goes_wrong_each_window_is_read_once() -> None:
    """No delivery fails, none overlaps another, and the sweep finds nothing to do."""
    counts = Counter[str]()
    for seed in range(20):
        run = _run(seed, CALM)
        assert not run.problems
        counts += run.counts
    assert counts["job NoneType"] == counts["done NoneType"] > 50
    assert not counts["job UnavailableError"] + counts["posthumous"]


@pytest.mark.parametrize("kind", ["folder", "sqs"])
def test_where_the_model_is_mostly_away_jobs_die_and_no_turn_is_lost(kind: QueueKind) -> None:
    counts = Counter[str]()
    for seed in range(10):
        run = _run(seed, replace(MUTE, kind=kind))
        assert not run.problems
        counts += run.counts
    assert counts["dead"] >= 10


def test_what_the_runs_are_about_happens_in_them() -> None:
    """Else a run that has become harmless would show nothing, and nobody would notice."""
    counts = Counter[str]()
    for seed in range(60):
        counts += _run(seed).counts
    for what in ("job crashed", "append crashed", "overlaps", "readings", "redact RedactOutcome"):
        assert counts[what] >= 10, what
    for what in ("offer FULL", "away", "twice", "quarantined", "pop PopOutcome"):
        assert counts[what] >= 3, what


def test_a_delivery_seed_gives_the_same_run_again() -> None:
    assert str(_run(7).trace) == str(_run(7).trace)


def _check(seeds: Iterable[int]) -> None:
    """Run seeds; the first that breaks a promise fails, with all its requests."""
    for seed in seeds:
        result = _run(seed)
        if result.problems:
            problems = "\n".join(result.problems)
            pytest.fail(f"seed={seed}\n{result.trace}\n{problems}", pytrace=False)


def _run(seed: int, plan: DeliveryPlan | None = None) -> Delivered:
    with pytest.MonkeyPatch.context() as monkeypatch:
        return deliver(seed, monkeypatch, plan)
