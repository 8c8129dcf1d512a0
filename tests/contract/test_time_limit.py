"""Calls that end in time."""

import threading

import pytest

from everturn.adapters.system_clock import SystemClock
from everturn.adapters.time_limit import in_time
from everturn.errors import MisconfiguredError, UnavailableError


@pytest.mark.parametrize("value", [None, 3, UnavailableError("a value, not a failure")])
def test_what_comes_in_time_is_returned(value: object) -> None:
    assert in_time(lambda: value, 5) is value


def test_what_is_raised_in_time_is_raised() -> None:
    error = MisconfiguredError("no key")

    def act() -> None:
        raise error

    with pytest.raises(MisconfiguredError) as caught:
        in_time(act, 5)
    assert caught.value is error


def test_what_hangs_is_left_to_itself() -> None:
    clock, free = SystemClock(), threading.Event()
    began = clock.monotonic_s()
    with pytest.raises(UnavailableError, match=r"^no answer in time$"):
        in_time(lambda: free.wait(5), 0.1)
    assert clock.monotonic_s() - began < 1
    free.set()
