"""A window of time: half-open, either end may be missing."""

from dataclasses import dataclass

from everturn.errors import InvalidRequestError
from everturn.values.timestamps import parse_time


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The times from `since_ns` on and before `until_ns`, in Unix nanoseconds; None is no bound."""

    since_ns: int | None = None
    until_ns: int | None = None

    def holds(self, time_ns: int) -> bool:
        """Say whether a time lies inside."""
        after = self.since_ns is None or time_ns >= self.since_ns
        return after and (self.until_ns is None or time_ns < self.until_ns)


EVER = TimeWindow()


def parse_window(since: str | None, until: str | None) -> TimeWindow:
    """Read a window of RFC 3339 times with any offset; without one they are UTC.

    Raises:
        InvalidRequestError: a bound is no time, or nothing lies between the two.
    """
    window = TimeWindow(_bound(since, "since"), _bound(until, "until"))
    if window.since_ns is None or window.until_ns is None:
        return window
    if window.since_ns >= window.until_ns:
        raise InvalidRequestError("since is before until, which is not inside", field="since")
    return window


def _bound(text: str | None, field: str) -> int | None:
    if text is None:
        return None
    time_ns = parse_time(text)
    if time_ns is None:
        raise InvalidRequestError("a bound is an rfc 3339 time", field=field)
    return time_ns
