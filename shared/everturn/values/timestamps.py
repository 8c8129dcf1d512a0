"""Times as integer nanoseconds since 1970: RFC 3339 text, and windows of time.

Times are printed as Go's RFC3339Nano prints them. A window is half-open; either end may be missing.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from everturn.errors import InvalidRequestError

NANOSECONDS = 1_000_000_000

# https://www.rfc-editor.org/rfc/rfc3339#section-5.6; a missing offset is read as UTC.
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))?",
    re.ASCII,
)
_LEAP_SECOND = 60
_MAX_OFFSET_HOURS, _MAX_OFFSET_MINUTES = 23, 59
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
# The years 1 to 9999, in UTC: an offset may carry a time beyond them, where no text says it.
_FIRST_S, _LAST_S = -62_135_596_800, 253_402_300_799


def parse_time(text: str) -> int | None:
    """Read an RFC 3339 time as Unix nanoseconds; None where it is none.

    Digits beyond the ninth of a second are dropped; a leap second is the second after it.
    """
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.group(1, 2, 3, 4, 5, 6))
    offset_s = _offset_s(match)
    leap = second == _LEAP_SECOND
    try:
        moment = datetime(year, month, day, hour, minute, second - leap, tzinfo=UTC)
    except ValueError:
        return None
    if offset_s is None:
        return None
    whole_s = (moment - _EPOCH) // _SECOND + leap - offset_s
    if not _FIRST_S <= whole_s <= _LAST_S:
        return None
    return whole_s * NANOSECONDS + int((match[7] or "").ljust(9, "0")[:9])


def _offset_s(match: re.Match[str]) -> int | None:
    if match[8] is None:
        return 0
    hours, minutes = int(match[9]), int(match[10])
    if hours > _MAX_OFFSET_HOURS or minutes > _MAX_OFFSET_MINUTES:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if match[8] == "-" else 1)


def format_time(time_ns: int) -> str:
    """Write Unix nanoseconds as RFC3339Nano in UTC: trailing zeros cut, `Z`.

    As Go's `time.RFC3339Nano`. https://pkg.go.dev/time#RFC3339Nano
    """
    seconds, fraction = divmod(time_ns, NANOSECONDS)
    moment = (_EPOCH + seconds * _SECOND).replace(tzinfo=None)
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{moment.isoformat()}{digits}Z"


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
