"""How often and how long a service is asked, whoever it is."""

import pytest

from everturn.adapters.http.service_retries import BusyError, Tries
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import UnavailableError


class Service:
    """Takes `takes_s` for each answer, and fails as long as it is told to."""

    def __init__(self, *, takes_s: float, failures: int = 0, after_s: float | None = None) -> None:
        self.clock = ManualClock()
        self.timeouts: list[float] = []
        self._takes_s = takes_s
        self._failures = failures
        self._after_s = after_s

    def once(self, timeout_s: float) -> dict[int, object]:
        self.timeouts.append(timeout_s)
        self.clock.sleep(min(self._takes_s, timeout_s))
        if len(self.timeouts) <= self._failures:
            if self._after_s is not None:
                raise BusyError("busy", after_s=self._after_s)
            raise UnavailableError("away")
        return {0: [1.0]}

    def tries(self, deadline_s: float) -> Tries:
        return Tries(
            clock=self.clock,
            entropy=SeededEntropy(),
            deadline_s=deadline_s,
            try_s=3,
            max_wait_s=2,
        )


def test_no_request_is_sent_after_the_end_of_a_call() -> None:
    service = Service(takes_s=2)
    tries = service.tries(4)
    assert [tries.ask(service.once), tries.ask(service.once)] == [{0: [1.0]}] * 2
    with pytest.raises(UnavailableError, match="no answer in time"):
        tries.ask(service.once)
    assert len(service.timeouts) == 2


def test_one_try_never_takes_all_the_time_there_is() -> None:
    service = Service(takes_s=60, failures=9)
    with pytest.raises(UnavailableError, match="away"):
        service.tries(4).ask(service.once)
    first, second = service.timeouts
    assert first == 3
    assert 0.5 < second < 1
    assert service.clock.monotonic_s() - ManualClock().monotonic_s() <= 4


def test_no_wait_goes_beyond_the_end_of_a_call() -> None:
    service = Service(takes_s=3, failures=9, after_s=2)
    with pytest.raises(BusyError):
        service.tries(4).ask(service.once)
    assert len(service.timeouts) == 1
