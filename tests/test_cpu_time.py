"""The limit of CPU time fails where it is exceeded."""

import pytest

from cpu_time import cpu_limit


def test_work_beyond_the_limit_fails() -> None:
    with pytest.raises(AssertionError, match=r"^took .* s of CPU time"), cpu_limit(0.001):
        sum(range(3_000_000))


def test_work_within_the_limit_passes() -> None:
    with cpu_limit(60):
        sum(range(1_000))
