"""Where in a turn somebody plainly states something: no question, no doubt, no joke, no play.

English only: of other languages nothing is found, so nothing wrong.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from everturn.extraction.rules.context_patterns import (
    ASKED_AT_END,
    COMMA,
    CUT,
    FIRST_PERSON,
    GOVERNED,
    JOINT,
    KEPT_BACK,
    LEAD,
    NEGATED_REASON,
    OPEN_QUESTION,
    REPORTED,
    TAG_QUESTION,
    TAKEN_BACK,
)

_LONGEST_SENTENCE: Final = 600
# A line that ends so far to the right may have been broken by a program.
_WRAPPED_CHARS: Final = 60

# One letter before a full stop is an initial; the others are written so.
_END = re.compile(
    r"(?:(?<!\b[A-Za-z])(?<!\b(?:Dr|Mr|Ms|St|vs|Jr|Sr|Mt|Ft))(?<!\bMrs)(?<!\bProf)\.+"
    r"|[!?\u3002]+)(?=[\s\"')]|$)|\n+"
    # A smile ends what has no other end.
    r"|(?<=\w)\s*[\U0001f300-\U0001faff\u2600-\u27bf]+(?=\s|$)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of `own`, the words of a sender; `begin` and `end` are indices of it.

    `then` is what follows in the same turn, as far as it could take the sentence back.
    """

    own: str
    begin: int
    end: int
    mark: str
    then: str

    @property
    def text(self) -> str:
        """The sentence without its mark."""
        return self.own[self.begin : self.end]

    def states(self, at: int) -> bool:
        """Say whether a statement may begin at an index of `own`: nothing governs or doubts it."""
        before = self.own[self.begin : at]
        if REPORTED.search(self.text[at - self.begin :]):
            return False
        if LEAD.fullmatch(before):
            return True
        joined = JOINT.search(before)
        if not joined and not COMMA.search(before):
            return False
        said = before[_lead_end(before) :]
        if GOVERNED.search(said) or NEGATED_REASON.search(before):
            return False
        return bool(joined) or FIRST_PERSON.match(said) is not None

    def clause_end(self, at: int) -> int | None:
        """Return where the statement that goes on at an index ends; None where it is none.

        It is none that is asked, taken back, or broken off.
        """
        cut = CUT.search(self.own, at, self.end)
        end = cut.start() if cut else self.end
        rest = self.own[end : self.end]
        if TAKEN_BACK.search(self.own[at:end]) or TAKEN_BACK.search(rest + " " + self.then):
            return None
        if ASKED_AT_END.search(self.text):
            return None
        if KEPT_BACK.match(rest) or KEPT_BACK.match(self.then):
            return None
        if "?" in self.mark and (not OPEN_QUESTION.search(rest) or TAG_QUESTION.match(rest)):
            return None
        if not cut and (self._is_wrapped() or self._is_shortened()):
            return None
        return end

    def _is_shortened(self) -> bool:
        """Say whether it ends with a part of a number or a hash: `0x52..`."""
        last = self.text.rpartition(" ")[2]
        return (".." in self.mark or last.endswith("\u2026")) and any(map(str.isdigit, last))

    def _is_wrapped(self) -> bool:
        line = self.own.rfind("\n", 0, self.end) + 1
        follows = self.own[self.end : self.end + 2]
        is_long = self.end - line > _WRAPPED_CHARS
        return is_long and follows.startswith("\n") and follows[1:].islower()


def _lead_end(before: str) -> int:
    found = LEAD.match(before)
    return found.end() if found else 0


def sentences(own: str) -> Iterator[Sentence]:
    """Yield the sentences of somebody's own words; those too long to be one are left out."""
    ends = [(found.start(), found.end(), found[0]) for found in _END.finditer(own)]
    begin = 0
    for number, (end, next_begin, mark) in enumerate([*ends, (len(own), len(own), "")]):
        if 0 < end - begin <= _LONGEST_SENTENCE:
            following = ends[number + 1][1] if number + 1 < len(ends) else len(own)
            then = own[end : min(following, next_begin + _LONGEST_SENTENCE)].strip()
            yield Sentence(own, begin, end, mark, then)
        begin = next_begin
