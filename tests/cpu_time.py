"""Limits of CPU time for tests of hostile input, which hold on a slow machine as well.

A limit is set on one machine. Another may need several times as long for the same work, and a busy
one too: its cores share caches and clock. So a limit is scaled by a fixed piece of work in the same
process. What a limit is for, quadratic time instead of linear, exceeds it a hundredfold.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_STEPS: Final = 60_000
# CPU seconds that `_work` takes in Python 3.11 on the idle machine on which the limits were set.
_USUAL_S: Final = 0.0068
# A thread beside the measured one counts as slowness; beyond this it is no machine any more.
_MOST: Final = 10.0


@contextmanager
def cpu_limit(limit_s: float) -> Iterator[None]:
    """Fail if the block takes more CPU seconds of this process than that, scaled to the machine."""
    slower = _times_slower()
    began_s = time.process_time()
    yield
    took_s = time.process_time() - began_s
    if took_s >= limit_s * slower:
        # It may have become busy only in the meantime.
        slower = max(slower, _times_slower())
    assert took_s < limit_s * slower, f"took {took_s:.2f} s of CPU time, {slower:.1f} times slower"


def _times_slower() -> float:
    """Return by how much this process is slower now than where the limits were set: 1 to 10."""
    began_s = time.process_time()
    _work()
    return min(max(1.0, (time.process_time() - began_s) / _USUAL_S), _MOST)


def _work() -> int:
    """Work as the product does: on numbers, texts and dicts."""
    found: dict[str, int] = {}
    for number in range(_STEPS):
        key = f"{number % 97}"
        found[key] = found.get(key, 0) + number
    return len(found)
