"""What has one thing left out is found by the simulator: so it can find something."""

import pytest

from simulator.plans import CROWD_OF_WRITERS, SWEEPERS_AMONG_WRITERS, Plan
from simulator.simulation import run
from simulator.wrong_protocols import (
    Wrong,
    reading_back_the_head_alone,
    searching_by_bytes,
    sweeping_without_grace,
    with_a_tombstone_beside_the_head,
    without_read_back,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("wrong", "harm", "plan", "seeds"),
    [
        (without_read_back, "twice by one call", None, 50),
        (reading_back_the_head_alone, "twice by one call", CROWD_OF_WRITERS, 400),
        (searching_by_bytes, "acknowledged, but written at", None, 200),
        (with_a_tombstone_beside_the_head, "appended to what was deleted", None, 600),
        (sweeping_without_grace, "segment missing", SWEEPERS_AMONG_WRITERS, 800),
    ],
)
def test_a_protocol_with_one_thing_left_out_does_its_harm(
    wrong: Wrong, harm: str, plan: Plan | None, seeds: int
) -> None:
    """Some seed shows exactly the harm that the thing left out prevents."""
    for seed in range(seeds):
        with pytest.MonkeyPatch.context() as monkeypatch:
            wrong(monkeypatch)
            if any(harm in problem for problem in run(seed, monkeypatch, plan).problems):
                return
    pytest.fail(f"not found harm={harm!r}")
