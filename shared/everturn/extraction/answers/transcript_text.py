"""A transcript as the source of statements: whether what must stay verbatim stands in it.

A part of an identifier is another identifier: a shortened hash, a port without its last digit, an
address without its end.
"""

import re
from functools import cached_property
from typing import Final

from everturn.extraction.answers.date_mentions import (
    DateParts,
    WrittenDate,
    meant_dates,
    written_dates,
)
from everturn.extraction.answers.whole_places import whole_places
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
