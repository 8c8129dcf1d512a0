"""Extract what users state of themselves by rules: the extractor without a model.

A statement counts only where it is plainly made: no question, no doubt, no joke, no play.
English only: of other languages nothing is found, so nothing wrong.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from everturn.conversations.model.extraction_window import Window
from everturn.conversations.model.turn import Turn, opens_inside_tool_exchange
from everturn.extraction.answers.findings import Extracted, Findings
from everturn.extraction.answers.secret_patterns import holds_secret
from everturn.extraction.rules.authored_text import (
    ends_a_play,
    own_words,
    starts_a_play,
    tells_no_facts,
)
from everturn.extraction.rules.context_patterns import (
    ASKED_AT_END,
    COMMA,
    CONDITION,
    CUT,
    FIRST_PERSON,
    GOVERNED,
    JOINT,
    KEPT_BACK,
    LEAD,
    NEGATED_REASON,
    OPEN_QUESTION,
    REMEMBERING,
    REPORTED,
    TAG_QUESTION,
    TAKEN_BACK,
)
from everturn.extraction.rules.statement_rules import REMEMBER_RULE, RULES, Rule
from everturn.memory.model.draft import MemoryDraft
from everturn.values.memory_kind import USER
from everturn.values.visible_text import one_line

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


# OpenAI, Anthropic and Bedrock say user; LangChain says human.
_USER_ROLES: Final = frozenset({"user", "human"})
# Who states more in one turn has pasted it.
MAX_PER_TURN: Final = 10
_END_MARKS: Final = " \t\n.,;:!-\u2013\u2014"
_SMILE = re.compile(r"(?<=\s)(?:[:;=]-?[()DP]+|<3|\^\^)\Z")
# Words that mean another person to a reader than to their writer.
_OF_SPEAKERS = re.compile(
    r"(?<![\w@./-])(?:i|i'm|i've|i'll|i'd|me|my|mine|myself|we|(?-i:us)|our|ours|you|your|yours)"
    r"(?![\w@])",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    rf"\W*(?:(?:hi|hey|hello|ok|okay|so|and|also|oh|btw|by the way)\b\W*)*{REMEMBERING}"
    r"(?:(?: ?,)? that (?=\S)|(?: this| the following)?: (?=\S)"
    r"| (?=(?:i'm|i am|i have|(?:my|our|the) (?:[\w'-]+ ){1,4}(?:is|are) )))",
    re.IGNORECASE,
)


def extract_by_rules(turns: Iterable[Turn]) -> tuple[Extracted, ...]:
    """Return what users state of themselves, in the order in which they do.

    Only turns of the roles `user` and `human` are read, and none that brings results of tools.
    Nothing is made a constraint or hard; statements are in the third person where that is sure,
    else the user's words follow `The user said:` or `The user asks:`. Identifiers stay as they
    were written; what holds a secret is left out. Never raises, and takes time linear in the text.

    Args:
        turns: in their order; a play that one of them begins goes on to those after it.
    """
    playing = False
    found: list[Extracted] = []
    for turn in turns:
        if not _is_of_user(turn):
            continue
        own = own_words(turn.text)
        if ends_a_play(own):
            playing = False
            continue
        playing = playing or starts_a_play(own)
        if not playing and not tells_no_facts(own):
            found += islice(_distinct(_of_turn(turn, own)), MAX_PER_TURN)
    return tuple(found)


def _is_of_user(turn: Turn) -> bool:
    content = turn.value.get("content")
    is_user = turn.role.strip().lower() in _USER_ROLES and not turn.value.get("redacted")
    return is_user and not opens_inside_tool_exchange(turn.role, content)


def _distinct(found: Iterable[Extracted]) -> Iterator[Extracted]:
    known = set()
    for one in found:
        if one.draft not in known:
            known.add(one.draft)
            yield one


def _of_turn(turn: Turn, own: str) -> Iterator[Extracted]:
    for sentence in sentences(own):
        found = list(_of_sentence(turn, sentence))
        yield from _remembered(turn, sentence, found)
        yield from found


def _of_sentence(turn: Turn, sentence: Sentence) -> Iterator[Extracted]:
    at = sentence.begin
    begun = [
        (match.start(), order, rule, match)
        for order, rule in enumerate(RULES)
        for match in rule.begins.finditer(sentence.own, sentence.begin, sentence.end)
    ]
    for begin, _, rule, match in sorted(begun, key=lambda one: one[:2]):
        if begin < at or not sentence.states(begin):
            continue
        end = _end(rule, match, sentence)
        if end and (one := _extracted(turn, rule, match, end)):
            yield one
            at = end


_GOES_ON = re.compile(r"\s*(?:;|[(\[\u2013\u2014]|-{1,2}\s|:\s)|,?\s+but\b", re.IGNORECASE)


def _end(rule: Rule, match: re.Match[str], sentence: Sentence) -> int | None:
    """Return where a statement ends; None where it is no statement of this rule.

    What an order goes on with after a semicolon or in brackets belongs to it: half an order is
    another one.
    """
    end = sentence.clause_end(match.end())
    if end is None:
        return None
    if rule.only is not None:
        found = rule.only.match(sentence.own, match.end(), sentence.end)
        end = found.end() if found else None
    elif rule.whole and _GOES_ON.match(sentence.own, end, sentence.end):
        end = sentence.end
    if end is None or CONDITION.match(sentence.own, end, sentence.end):
        return None
    return end


def _extracted(turn: Turn, rule: Rule, match: re.Match[str], end: int) -> Extracted | None:
    value = one_line(_ended(turn.text[match.end() : end]))
    quote = _ended(turn.text[match.start() : end])
    if not _may_be_kept(quote) or not rule.fits(value.translate(_TYPED_QUOTES)):
        return None
    if rule.only is not None:
        value = value.strip("\"'\u2018\u2019\u201c\u201d\u00ab\u00bb`")
    return _made(turn, rule, _statement(rule, match, value, quote), quote)


def _may_be_kept(quote: str) -> bool:
    """Say whether words hold no secret, and say the same in one line: no controls among them."""
    return one_line(quote) == " ".join(quote.split()) and not holds_secret(quote)


def _ended(text: str) -> str:
    """Return a text without the marks that end it; those that begin it may be of a number."""
    return _SMILE.sub("", text.rstrip(_END_MARKS)).rstrip(_END_MARKS).lstrip()


_TYPED_QUOTES = str.maketrans("\u2019\u201c\u201d\u00ab\u00bb", '\'""""')


def _statement(rule: Rule, match: re.Match[str], value: str, quote: str) -> str:
    if rule.whole:
        return f"The user asks: {one_line(quote)}"
    if _OF_SPEAKERS.search(value.translate(_TYPED_QUOTES)):
        return f"The user said: {one_line(quote)}"
    groups = {name: text or "" for name, text in match.groupdict().items()}
    if groups.get("adverb"):
        groups["adverb"] += " "
    verb, _, rest = groups.get("verb", "").lower().partition(" ")
    be = "are" if match[0].lower().rstrip().endswith(" are") else "is"
    said = {name: text.lower() for name, text in groups.items()}
    verbs = f"{verb}s {rest}".rstrip()
    says = rule.says.replace(" {value}", "{value}") if value.startswith(",") else rule.says
    return one_line(says.format(**said, value=value, verbs=verbs, be=be))


def _remembered(turn: Turn, sentence: Sentence, found: Iterable[Extracted]) -> Iterator[Extracted]:
    """Yield what a sentence asks to remember, in its words, if it was not found with others."""
    asked = _REMEMBER.match(sentence.own, sentence.begin, sentence.end)
    if not asked or "?" in sentence.mark or sentence.clause_end(asked.end()) is None:
        return
    quote = _ended(turn.text[asked.end() : sentence.end])
    value = one_line(quote)
    if not REMEMBER_RULE.fits(value) or not _may_be_kept(quote):
        return
    if any(turn.text.startswith(one.quote, asked.end()) for one in found):
        return
    first_word = value.split(" ", 1)[0]
    if _OF_SPEAKERS.search(value.translate(_TYPED_QUOTES)):
        yield _made(turn, REMEMBER_RULE, f"The user said: {value}", quote)
    else:
        capital = first_word.capitalize() if first_word.isalpha() else first_word
        begin = capital if first_word.islower() else first_word
        yield _made(turn, REMEMBER_RULE, begin + value[len(first_word) :], quote, subject="")


def _made(turn: Turn, rule: Rule, statement: str, quote: str, *, subject: str = USER) -> Extracted:
    draft = MemoryDraft(
        rule.kind, statement, subject=subject, importance=rule.importance, provenance="observed"
    )
    return Extracted(draft, turn.index, turn.index, quote, rule.name)


class RulesExtractor:
    """Reads any window at once, for nothing, and always the same of the same turns."""

    name: Final = "rules"
    costs_tokens: Final = False

    def fitting(self, window: Window) -> Window:
        """Return the window as it is."""
        return window

    def extract(self, window: Window) -> Findings:
        """Read a window; what was said before it may be a play that goes on."""
        found = extract_by_rules((*window.context, *window.turns))
        memories = tuple(one for one in found if one.first_turn >= window.first)
        return Findings("ok", memories, extractor=self.name)

    def works(self) -> bool:
        """Say that it does."""
        return True
