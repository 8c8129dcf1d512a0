"""When the replaced versions of an object are gone from a versioned bucket."""

from everturn.values.timestamps import NANOSECONDS

_DAY_NS = 86_400 * NANOSECONDS


def versions_gone_ns(now_ns: int, days: int) -> int:
    """Return the midnight (UTC) from which on S3 removes what is replaced now.

    It adds the days and goes on to the next midnight; the removal itself may take some hours more.
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html#intro-lifecycle-rules-number-of-days
    """
    return -(-(now_ns + days * _DAY_NS) // _DAY_NS) * _DAY_NS
