"""Which memories held at a time, and which belong to a window of time."""

import numpy as np
from numpy.typing import NDArray

from everturn.memory.index.columns import MemoryIndex
from everturn.memory.model.supersession import Lineages
from everturn.recall.index.turn_rows import NO_TIME
from everturn.values.time_window import TimeWindow


def held_at(index: MemoryIndex, lineages: Lineages, time_ns: int) -> NDArray[np.bool_]:
    """bool[n]: memories that were known or valid at a time, and that nothing had replaced by then.

    One that was never replaced holds from the time that it names on, else from when it was said.
    """
    since = np.where(index.valid_from == NO_TIME, index.first_times, index.valid_from)
    held = since <= time_ns
    for at, rid in enumerate(index.rids):
        if not lineages.lone(rid):
            held[at] = any(
                begin <= time_ns and (end is None or time_ns < end)
                for begin, end in lineages.periods(rid)
            )
    return np.asarray(held)


def in_window(index: MemoryIndex, window: TimeWindow) -> NDArray[np.bool_]:
    """bool[n]: memories whose time lies in a window: that from which they hold, else the last."""
    times = np.where(index.valid_from == NO_TIME, index.last_times, index.valid_from)
    inside = np.ones(len(index), bool)
    if window.since_ns is not None:
        inside &= times >= window.since_ns
    if window.until_ns is not None:
        inside &= times < window.until_ns
    return inside
