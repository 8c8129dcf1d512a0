"""Where an identifier stands in a text as a whole.

A part of one is another one: a shortened hash, a port without its last digit, an address without
its path, a number without its sign.
"""

import re
from collections.abc import Iterator
from typing import Final

# Scripts without spaces cling to an identifier and are no part of it.
_NAME: Final = "[A-Za-z0-9_\u00c0-\u024f\u0370-\u052f]"
# Each is looked for at the end of what stands before, or the beginning of what stands after.
_BEFORE = re.compile(rf"{_NAME}\Z")
_AFTER = re.compile(rf"{_NAME}|[.@]{_NAME}|(?:\.{{2,}}|\u2026){_NAME}")
_BEFORE_PATH = re.compile(r"[/\\~.]\Z")
_BEFORE_DIGIT = re.compile(r"(?:\d[.,-]|(?:^|[\s(=:,])[-+])\Z")
_AFTER_DIGIT = re.compile(r"[,-]\d")
# The minutes of a time, the day of a date.
_BEFORE_FEW_DIGITS = re.compile(r"\d[/:]\Z")
_AFTER_FEW_DIGITS = re.compile(r"[/:]\d")
_FEW: Final = 2
_BEFORE_ID = re.compile(rf"{_NAME}-\Z")
_AFTER_ID = re.compile(rf"-{_NAME}")
_AFTER_ADDRESS = re.compile(r"[/\\][^\s)>\]\"'`/\\]|[?#&=%:]\w")
_ELLIPSIS_BEFORE = re.compile(rf"{_NAME}(?:\.{{2,}}|\u2026)\Z")

# How far one looks beside an identifier, and how often it may stand there as a part of others.
_BESIDE: Final = 5
_MOST: Final = 1_000


def whole_places(text: str, said: str, *, within: str) -> Iterator[int]:
    """Yield where `said` stands in `within`, whole as `text`, of the same length, shows it."""
    at = -1
    for _ in range(_MOST):
        at = within.find(said, at + 1)
        if at < 0:
            return
        before = text[max(0, at - _BESIDE) : at]
        after = text[at + len(said) : at + len(said) + _BESIDE]
        if not (_begins_before(before, said) or _ends_after(after, said)):
            yield at


def _begins_before(before: str, said: str) -> bool:
    if _BEFORE.search(before) or _ELLIPSIS_BEFORE.search(before):
        return True
    if said[0] in "/\\":
        return _BEFORE_PATH.search(before) is not None
    if not _is_number(said):
        return _BEFORE_ID.search(before) is not None
    if len(said) <= _FEW and _BEFORE_FEW_DIGITS.search(before):
        return True
    return _BEFORE_DIGIT.search(before) is not None


def _ends_after(after: str, said: str) -> bool:
    if _AFTER.match(after) or ("://" in said and _AFTER_ADDRESS.match(after)):
        return True
    if not _is_number(said):
        return _AFTER_ID.match(after) is not None
    if len(said) <= _FEW and _AFTER_FEW_DIGITS.match(after):
        return True
    return _AFTER_DIGIT.match(after) is not None


def _is_number(said: str) -> bool:
    return all(char.isdigit() or char in ".,:+-" for char in said)
