import pytest

from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import NotSentError, PreconditionFailedError, UnavailableError
from everturn.storage.swap import DEADLINE_S, Patience

CAUSE = PreconditionFailedError("another write came first")


class _Longest:
    """Always the greatest share of a wait."""

    def token(self, size: int) -> bytes:
        """Return bytes that are all ones."""
        return b"\xff" * size


def _waits(entropy: SeededEntropy | _Longest) -> list[float]:
    """Return the waits until the deadline."""
    clock, waits = ManualClock(), list[float]()
    patience = Patience(clock=clock, entropy=entropy)
    while True:
        before = clock.monotonic_s()
        try:
            patience.wait(doing="append", cause=CAUSE)
        except UnavailableError:
            return waits
        waits.append(clock.monotonic_s() - before)


def test_waits_double_from_20_ms_up_to_a_quarter_of_a_second() -> None:
    expected = [0.02, 0.04, 0.08, 0.16, 0.25, 0.25]

    assert _waits(_Longest())[:6] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_waits_are_spread_over_their_whole_range(seed: int) -> None:
    """Full jitter: writers that lost together do not come back together."""
    waits = _waits(SeededEntropy(str(seed)))

    assert all(0 <= wait <= 0.25 for wait in waits)
    assert len(set(waits)) == len(waits)
    assert min(waits[8:]) < 0.12 < max(waits[8:])


@pytest.mark.parametrize("seed", range(20))
def test_the_deadline_is_ten_seconds_and_the_tries_are_bounded(seed: int) -> None:
    waits = _waits(SeededEntropy(str(seed)))

    assert DEADLINE_S <= sum(waits) <= DEADLINE_S + 0.25
    assert 40 < len(waits) < 120


def test_giving_up_names_the_use_case_and_keeps_the_cause() -> None:
    clock = ManualClock()
    patience = Patience(clock=clock, entropy=_Longest())
    clock.sleep(DEADLINE_S)

    with pytest.raises(UnavailableError, match="doing=patch") as caught:
        patience.wait(doing="patch", cause=CAUSE)

    assert caught.value.retryable
    assert caught.value.__cause__ is CAUSE


def test_time_that_the_store_takes_counts() -> None:
    clock = ManualClock()
    patience = Patience(clock=clock, entropy=_Longest())
    for _ in range(4):
        patience.wait(doing="append", cause=CAUSE)
        clock.sleep(3)

    with pytest.raises(UnavailableError):
        patience.wait(doing="append", cause=CAUSE)


def test_what_was_not_sent_for_want_of_credentials_is_not_tried_again() -> None:
    """Each try would ask for them: while there are none, six times as often as there are calls."""
    clock, cause = ManualClock(), NotSentError("no role")
    patience = Patience(clock=clock, entropy=_Longest())
    patience.wait(doing="append", cause=CAUSE)
    waited_s = clock.monotonic_s()

    with pytest.raises(NotSentError) as caught:
        patience.wait(doing="append", cause=cause)

    assert caught.value is cause
    assert clock.monotonic_s() == waited_s


def test_a_store_that_is_unavailable_is_given_up_within_a_second() -> None:
    """A full disk stays full: whoever comes next in this process must not wait ten seconds."""
    clock = ManualClock()
    patience = Patience(clock=clock, entropy=_Longest())
    began = clock.monotonic_s()
    for _ in range(5):
        patience.wait(doing="append", cause=UnavailableError("the disk is full"))
    with pytest.raises(UnavailableError):
        patience.wait(doing="append", cause=UnavailableError("the disk is full"))
    assert clock.monotonic_s() - began < 1


def test_a_store_that_answers_now_and_then_is_not_given_up() -> None:
    patience = Patience(clock=ManualClock(), entropy=_Longest())
    for _ in range(3):
        for _ in range(3):
            patience.wait(doing="append", cause=UnavailableError("later"))
        patience.wait(doing="append", cause=CAUSE)


def test_what_goes_on_beside_counts_its_own_refusals_until_the_same_end() -> None:
    """One hiccup that many meet is one in a row for each of them."""
    clock = ManualClock()
    patience = Patience(clock=clock, entropy=_Longest())
    refused = UnavailableError("503")
    for _ in range(20):
        patience.beside().wait(doing="erase", cause=refused)
    beside = patience.beside()
    for _ in range(5):
        beside.wait(doing="erase", cause=refused)
    with pytest.raises(UnavailableError, match="does not answer"):
        beside.wait(doing="erase", cause=refused)
    clock.sleep(DEADLINE_S)
    with pytest.raises(UnavailableError, match="in time"):
        patience.beside().check(doing="erase")
