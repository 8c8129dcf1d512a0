"""Dates as people write them, and the dates that words such as `yesterday` mean beside them.

English months and weekdays; `5/6/2024` is two dates, and so none.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from everturn.recall.language.language import ENGLISH

_MONTHS: Final = {name[:3]: number for number, name in enumerate(ENGLISH.months, 1)}
_MONTH: Final = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in ENGLISH.months) + "|sept"
_WEEKDAYS: Final = {name: number for number, name in enumerate(ENGLISH.weekdays)}
_DAY: Final = r"(?P<day{0}>[0-3]?\d)(?:st|[nr]d|th)?"
_YEAR: Final = r"(?P<year{0}>[12]\d{{3}})"
_WRITTEN = re.compile(
    r"(?<![\d-])(?P<year1>[12]\d{3})[-/](?P<month1>[01]?\d)[-/](?P<day1>[0-3]?\d)(?!\d)"
    rf"|\b(?P<month2>{_MONTH})\.?\s+{_DAY.format(2)}(?:,?\s+{_YEAR.format(2)})?\b"
    rf"|\b{_DAY.format(3)}\s+(?:of\s+)?(?P<month3>{_MONTH})\b\.?(?:,?\s+{_YEAR.format(3)}\b)?"
    rf"|\b(?P<month4>{_MONTH})\.?,?\s+{_YEAR.format(4)}\b",
    re.IGNORECASE,
)
_SMALL: Final = "one two three four five six seven eight nine ten"
_COUNTS: Final = {word: count for count, word in enumerate(_SMALL.split(), 1)} | {"a": 1}
_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})\s+(?P<unit>day|week|month|year)s?"
_SAID = re.compile(
    r"\b(?:(?P<near>(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?day\s+after\s+tomorrow"
    r"|yesterday|today|tonight|tomorrow|last\s+night|this\s+(?:morning|afternoon|evening))"
    rf"|{_COUNT}\s+(?P<ago>ago)|in\s+{_COUNT.replace('<', '<in_')}"
    r"|(?P<which>last|next|this)\s+(?P<period>week|month|year)"
    rf"|(?P<weekday>{'|'.join(_WEEKDAYS)}))\b",
    re.IGNORECASE,
)
# In this order: the day before yesterday is not yesterday.
_NEAR: Final = {"before": -2, "after": 2, "yesterday": -1, "tomorrow": 1, "night": -1}
_DAYS_OF: Final = {"day": 1, "week": 7}
_MONTHS_OF: Final = {"month": 1, "year": 12}
_WEEK: Final = 7


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date with what is written of it, and where it stands, in code points."""

    begin: int
    end: int
    year: int | None
    month: int
    day: int | None


DateParts = tuple[int | None, int | None, int | None]
"""Year, month and day, as far as they are known."""


def written_dates(text: str) -> list[WrittenDate]:
    """Return the dates in a text that the calendar has, in their order."""
    found = (_written(match) for match in _WRITTEN.finditer(text))
    return [one for one in found if one is not None]


def _written(match: re.Match[str]) -> WrittenDate | None:
    parts = {name[:-1]: held for name, held in match.groupdict().items() if held is not None}
    month = parts["month"].lower()
    number = int(month) if month.isdigit() else _MONTHS[month[:3]]
    year, day = (int(parts[name]) if name in parts else None for name in ("year", "day"))
    # A leap year stands for any.
    if _day_of(year or 2024, number, day or 1) is None:
        return None
    return WrittenDate(match.start(), match.end(), year, number, day)


def _day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def meant_dates(text: str) -> frozenset[DateParts]:
    """Return the dates that a transcript says: written ones, and what its words mean beside them.

    A date without a year has the years of the whole ones, if there are any. `Yesterday` is counted
    from the last whole date before it, else from each; a weekday is the nearest one on either side.
    """
    written = written_dates(text)
    whole = [(one.begin, day) for one in written if (day := _whole(one))]
    parts: set[DateParts] = set()
    years: set[int | None] = {day.year for _, day in whole}
    for one in written:
        known = {one.year} if one.year or not years else years
        parts.update((year, one.month, one.day) for year in known)
    begins = [begin for begin, _ in whole]
    for said in _SAID.finditer(text):
        at = bisect_right(begins, said.start())
        anchors = whole[at - 1 : at] if at else whole
        for day in {day for _, day in anchors}:
            parts.update(_meant(said, day))
    return frozenset(parts)


def _whole(one: WrittenDate) -> date | None:
    return _day_of(one.year, one.month, one.day) if one.year and one.day else None


def _meant(said: re.Match[str], anchor: date) -> Iterator[DateParts]:
    if said["near"]:
        words = said["near"].lower().split()
        yield _moved(anchor, next((days for word, days in _NEAR.items() if word in words), 0))
    elif said["weekday"]:
        ahead = (_WEEKDAYS[said["weekday"].lower()] - anchor.weekday()) % _WEEK
        yield from (_moved(anchor, ahead + weeks * _WEEK) for weeks in (-1, 0, 1))
    elif said["which"]:
        step = {"last": -1, "this": 0, "next": 1}[said["which"].lower()]
        yield _shifted(anchor, said["period"].lower(), step)
    else:
        sign, prefix = (-1, "") if said["ago"] else (1, "in_")
        word = said[f"{prefix}count"].lower()
        count = _COUNTS.get(word) or int(word)
        yield _shifted(anchor, said[f"{prefix}unit"].lower(), sign * count)


def _shifted(anchor: date, unit: str, count: int) -> DateParts:
    if unit in _DAYS_OF:
        return _moved(anchor, count * _DAYS_OF[unit])
    months = anchor.year * 12 + anchor.month - 1 + count * _MONTHS_OF[unit]
    return months // 12, None if unit == "year" else months % 12 + 1, None


def _moved(anchor: date, days: int) -> DateParts:
    try:
        day = anchor + timedelta(days=days)
    except OverflowError:
        return None, None, None
    return day.year, day.month, day.day
