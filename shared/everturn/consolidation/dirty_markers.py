"""The markers of jobs that a queue did not take, as their keys say: which minute, which to take."""

import re
from collections.abc import Sequence
from typing import Final

from everturn.values.keys import DIRTY_PREFIX

MINUTE_S: Final = 60
_NS: Final = 1_000_000_000
_MINUTE: Final = re.compile(r"[0-9]{10}", re.ASCII)
# So many workers may end at once and take different markers; more are as well for some of them.
_ABREAST: Final = 16


def minute_of(key: str) -> int:
    """Return the minute of Unix time that a listed key names; 0 where none of ours is there."""
    minute = key.removeprefix(DIRTY_PREFIX).partition("/")[0]
    return int(minute) if _MINUTE.fullmatch(minute) else 0


def turned(keys: Sequence[str], draw: int) -> Sequence[str]:
    """Return listed keys, begun at one of the first that are of the same minute."""
    first = [key for key in keys[:_ABREAST] if minute_of(key) == minute_of(keys[0])]
    place = draw % len(first) if first else 0
    return [*keys[place:], *keys[:place]]


def age_of_oldest(keys: Sequence[str], *, now_ns: int) -> int:
    """Return the seconds since the minute of the first of listed keys began; 0 without any."""
    oldest = next((minute for minute in map(minute_of, keys) if minute), None)
    return 0 if oldest is None else max(0, now_ns // _NS - oldest * MINUTE_S)
