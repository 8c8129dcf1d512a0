"""When S3 removes what was replaced."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.edge.responses.base import versions_gone_ns
from everturn.values.timestamps import NANOSECONDS, format_time, parse_time
from strategies.json_values import times_ns

DAY_NS = 86_400 * NANOSECONDS


@pytest.mark.parametrize(
    ("now", "days", "gone"),
    [
        # The example of the page: 3 days after 2014-01-15T10:30 is 2014-01-19T00:00.
        ("2014-01-15T10:30:00Z", 3, "2014-01-19T00:00:00Z"),
        ("2026-02-27T23:59:59.999999999Z", 1, "2026-03-01T00:00:00Z"),
        ("2026-03-01T00:00:00Z", 30, "2026-03-31T00:00:00Z"),
    ],
)
def test_the_days_are_added_and_rounded_up_to_the_next_midnight(
    now: str, days: int, gone: str
) -> None:
    """Source: the page that the function names."""
    now_ns = parse_time(now)
    assert now_ns is not None
    assert format_time(versions_gone_ns(now_ns, days)) == gone


@given(times_ns, st.integers(1, 3_650))
def test_nothing_is_gone_before_its_days_are_over(now_ns: int, days: int) -> None:
    gone_ns = versions_gone_ns(now_ns, days)
    assert 0 <= gone_ns - now_ns - days * DAY_NS < DAY_NS
    assert gone_ns % DAY_NS == 0
