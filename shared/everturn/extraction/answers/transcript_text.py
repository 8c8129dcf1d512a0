"""Check that the identifiers, numbers and dates of a statement occur in a transcript verbatim.

Each must occur as a whole, since a part of an identifier is another identifier. Such parts are a
shortened hash and a port without its last digit. So are an address without its path or end, and a
number without its sign.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from everturn.extraction.answers.date_mentions import (
    DateParts,
    WrittenDate,
    meant_dates,
    written_dates,
)
from everturn.values.identifier_spans import identifier_spans

_QUANTITY = re.compile(r"(\d[\d.,]*)-?([A-Za-z]{1,12})")
_SMALL: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBER_WORDS: Final = {word: str(number) for number, word in enumerate(_SMALL.split())} | {
    "thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


class SourceText:
    """A text in which identifiers are looked for; each is looked for in time linear in the text."""

    def __init__(self, text: str) -> None:
        """Keep the text; what is made of it is made when it is asked for."""
        self.text = text

    @cached_property
    def _folded(self) -> str:
        folded = self.text.casefold()
        # Where folding makes other lengths, places in one are none in the other.
        return folded if len(folded) == len(self.text) else self.text

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        """The identifiers of the text: `5` of `5pm` among them, which stands in no other whole."""
        return frozenset(self.text[begin:end] for begin, end in identifier_spans(self.text))

    @cached_property
    def _numbers(self) -> frozenset[str]:
        """What is written as a word, with commas or in a date, as digits."""
        words = (_NUMBER_WORDS.get(word) for word in _WORD.findall(self.text.casefold()))
        grouped = (found[0].replace(",", "") for found in _GROUPED.finditer(self.text))
        years = (str(year) for year, _, _ in self._dates if year)
        return frozenset(word for word in (*words, *grouped, *years) if word)

    @cached_property
    def _dates(self) -> frozenset[DateParts]:
        return meant_dates(self.text)

    def verbatim(self, statement: str) -> str | None:
        """Return a statement with its identifiers as they stand in the text.

        Another case is put right where the text has one spelling only. Dates may be written in
        another way, and be those that `yesterday` and the like mean; numbers may be words there.

        Returns:
            None if an identifier, a number or a date does not stand in the text.
        """
        dates = written_dates(statement)
        if not all(self._has_date(statement, one) for one in dates):
            return None
        parts, at = [], 0
        for begin, end in identifier_spans(statement):
            is_date = any(one.begin <= begin and end <= one.end for one in dates)
            said = statement[begin:end]
            found = said if is_date else self._spelling(said)
            if found is None:
                return None
            parts += [statement[at:begin], found]
            at = end
        return "".join([*parts, statement[at:]])

    def _has_date(self, statement: str, one: WrittenDate) -> bool:
        if self.has(statement[one.begin : one.end]):
            return True
        asked = (one.year, one.month, one.day)
        # What is not said of a date is said by nobody; what the text leaves out it does not say.
        return any(
            all(wanted in (None, known) for wanted, known in zip(asked, parts, strict=True))
            for parts in self._dates
        )

    def _spelling(self, said: str) -> str | None:
        if self.has(said) or self._has_number(said):
            return said
        places = whole_places(self.text, said.casefold(), within=self._folded)
        found = {self.text[at : at + len(said)] for at in places}
        return found.pop() if len(found) == 1 else None

    def _has_number(self, said: str) -> bool:
        digits = said.replace(",", "") if _GROUPED.fullmatch(said) else said
        if digits.isdecimal():
            return digits in self._numbers or (digits != said and self.has(digits))
        amount = _QUANTITY.fullmatch(said)
        if amount is None:
            return False
        # `90d` says `90 days`, `1h` says `1-hour`.
        written = rf"(?<![\w.,-]){re.escape(amount[1])}[\s-]?{re.escape(amount[2])}"
        return re.search(written, self.text, re.IGNORECASE) is not None

    def has(self, said: str) -> bool:
        """Say whether the text holds this as a whole, letter by letter."""
        if said in self._identifiers:
            return True
        return next(whole_places(self.text, said, within=self.text), None) is not None


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
