"""Calls that end in time."""

import threading
from queue import SimpleQueue

import pytest

from everturn.adapters.http import service_retries
from everturn.adapters.http.service_retries import in_time
from everturn.errors import MisconfiguredError, UnavailableError


@pytest.mark.parametrize("value", [None, 3, UnavailableError("a value, not a failure")])
def test_what_comes_in_time_is_returned(value: object) -> None:
    assert in_time(lambda: value, 60) is value


def test_what_is_raised_in_time_is_raised() -> None:
    error = MisconfiguredError("no key")

    def act() -> None:
        raise error

    with pytest.raises(MisconfiguredError) as caught:
        in_time(act, 60)
    assert caught.value is error


def test_what_hangs_is_left_to_itself() -> None:
    free = threading.Event()
    with pytest.raises(UnavailableError, match=r"^no answer in time$"):
        in_time(free.wait, 0.1)
    assert not free.is_set()
    free.set()


def test_it_waits_for_the_time_that_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen where it waits: how long a wait took says what else the machine does."""
    waits_s: list[float | None] = []

    class Watched(SimpleQueue[object]):
        def get(self, block: bool = True, timeout: float | None = None) -> object:  # noqa: FBT001, FBT002  # as it is
            waits_s.append(timeout)
            return super().get(block, timeout)

    monkeypatch.setattr(service_retries, "SimpleQueue", Watched)
    assert in_time(lambda: "done", 0.25) == "done"
    assert waits_s == [0.25]
