"""Consolidation with one thing left out is found by a delivery run: so it can find something."""

import pytest

from simulator.delivery import deliver
from simulator.wrong_deliveries import (
    Wrong,
    being_quiet_for_too_long,
    deciding_anew_on_replay,
    moving_the_watermark_first,
    overwriting_the_watermark,
    removing_a_marker_first,
    without_a_last_look,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("wrong", "harm", "seeds"),
    [
        (deciding_anew_on_replay, "is of two readings", 100),
        (moving_the_watermark_first, "which is not applied", 20),
        (overwriting_the_watermark, "the watermark went back", 100),
        (without_a_last_look, "which is gone", 800),
        (removing_a_marker_first, "were promised to be read", 300),
        (being_quiet_for_too_long, "were promised to be read", 400),
    ],
)
def test_consolidation_with_one_thing_left_out_does_its_harm(
    wrong: Wrong, harm: str, seeds: int
) -> None:
    """Some seed shows exactly the harm that the thing left out prevents."""
    for seed in range(seeds):
        with pytest.MonkeyPatch.context() as monkeypatch:
            wrong(monkeypatch)
            if any(harm in problem for problem in deliver(seed, monkeypatch).problems):
                return
    pytest.fail(f"not found harm={harm!r}")
