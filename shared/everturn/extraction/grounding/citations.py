"""Turn findings into memories, each with the turns that say it and a quote of them.

A memory is never invented: a finding that no words of the turns support is left out and counted.

A model's statement about the user gets the wording and the kind that the rules give. So if both
find the same, it is one memory.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from everturn.conversations.model.turn import Turn
from everturn.errors import InvalidRequestError
from everturn.extraction.answers.field_values import FACTS, OUTCOME, PATTERNS, USER_FACTS, Cite
from everturn.extraction.answers.findings import Extracted
from everturn.extraction.answers.parse_answer import Extraction
from everturn.extraction.answers.transcript_turn import ShownTurn, is_of_assistant, is_of_user
from everturn.extraction.grounding.citable_turns import Grounds, Range
from everturn.extraction.grounding.contradiction import says_otherwise
from everturn.extraction.grounding.sentence_support import HALF, Among, Place, Support, word_terms
from everturn.memory.model.draft import MemoryDraft, new_memory
from everturn.values.go_json import JsonObject
from everturn.values.memory_kind import USER, MemoryKind

# A summary is in other words than what it sums up.
_LEAST_OF_OUTCOME: Final = 0.34
_OF_ITSELF = re.compile(
    r"(?:the )?(?:ai )?(?:assistant|chatbot)(?:['\u2019]s | (?:is|was|has|can|cannot|loves|likes"
    r"|enjoys|prefers|lives|wants|feels|hates|knows|believes)\b)",
    re.IGNORECASE,
)


class Cited(NamedTuple):
    """Memories in the order of the answer, and what of it was left out, by reason.

    Reasons: `unsupported` by the turns, `attribution` of what somebody else said to the user or of
    what an assistant says of itself, `duplicate`, `invalid` as a memory.
    """

    memories: tuple[Extracted, ...]
    dropped: Mapping[str, int]


class _Said(NamedTuple):
    """What says a statement."""

    place: Place
    turns: Range


class _Step(NamedTuple):
    """What one step of a pattern is, and the sentence that says most of it."""

    text: str
    place: Place

    @property
    def said(self) -> tuple[str, str]:
        return self.text, self.place.said


def cited(
    found: Extraction, shown: Sequence[ShownTurn], context: Sequence[ShownTurn] = ()
) -> Cited:
    """Return what a model found as memories with quotes of the turns that it was shown.

    A quote alone makes no memory: its sentence and the turns that are cited have to say it.

    Args:
        found: what was read of its answer.
        shown: the turns that may be cited.
        context: those that it was shown too, and that may not.
    """
    support = Support(shown)
    citing = _Citing(found, support, Grounds(shown, support, context))
    return Cited(tuple(citing.distinct()), dict(citing.dropped))


def _anybody(_: Turn) -> bool:
    return True


@dataclass(slots=True)
class _Citing:
    """One extraction on its way to memories."""

    found: Extraction
    support: Support
    grounds: Grounds
    dropped: Counter[str] = field(default_factory=Counter)

    def distinct(self) -> Iterator[Extracted]:
        """Yield the memories, the same one once."""
        known = set()
        for one in self._memories():
            try:
                rid = new_memory(one.draft).rid
            except InvalidRequestError:
                self.dropped["invalid"] += 1
                continue
            if rid in known:
                self.dropped["duplicate"] += 1
                continue
            known.add(rid)
            yield one

    def _memories(self) -> Iterator[Extracted]:
        for text, cite in self._items(FACTS, self.found.facts):
            yield from self._of_user(text, cite) if is_about_user(text) else self._fact(text, cite)
        for text, cite in self._items(USER_FACTS, self.found.user_facts):
            yield from self._of_user(text, cite)
        cites = self.found.cites.get(PATTERNS, ())
        for number, pattern in enumerate(self.found.patterns):
            yield from self._pattern(pattern, cites[number] if number < len(cites) else Cite())
        yield from self._outcome()

    def _items(self, name: str, texts: Sequence[str]) -> Iterator[tuple[str, Cite]]:
        cites = self.found.cites.get(name, ())
        for number, text in enumerate(texts):
            yield text, cites[number] if number < len(cites) else Cite()

    def _fact(self, text: str, cite: Cite) -> Iterator[Extracted]:
        said = self._said(text, cite, _anybody)
        if said is None:
            self.dropped["unsupported"] += 1
        elif is_of_assistant(said.place.turn) and _OF_ITSELF.match(text):
            self.dropped["attribution"] += 1
        else:
            yield _extracted(MemoryDraft("fact", text, subject=""), said)

    def _of_user(self, text: str, cite: Cite) -> Iterator[Extracted]:
        statement = user_statement(text)
        said = self._said(statement, cite, is_of_user)
        if said is None:
            is_elsewhere = self._said(statement, cite, _anybody) is not None
            self.dropped["attribution" if is_elsewhere else "unsupported"] += 1
            return
        yield _extracted(MemoryDraft(user_kind(statement), statement, subject=USER), said)

    def _said(
        self, text: str, cite: Cite, among: Among, *, least: float = HALF, last: bool = False
    ) -> _Said | None:
        """Return what says a statement: the quote that was given, else the closest sentence.

        Where the quote stands and does not say it, it was made up, or put together from afar.
        """
        place = self.support.standing(cite.quote, cite.turns, among=among)
        place = place or self.support.closest(text, among=among, least=least, last=last)
        if place is None or says_otherwise(text, place.said, word_terms):
            return None
        turns = self.grounds.of(text, place, is_of_user_only=among is is_of_user)
        return None if turns is None else _Said(place, turns)

    def _pattern(self, pattern: JsonObject, cite: Cite) -> Iterator[Extracted]:
        spec: JsonObject = {name: held for name, held in pattern.items() if held}
        steps = _texts(spec.get("steps"))
        places = list(self._places_of_steps(steps, cite))
        turns = self._turns_of(spec, steps, places)
        if turns is None:
            self.dropped["unsupported"] += 1
            return
        quoted = self.support.standing(cite.quote, cite.turns, among=_anybody)
        is_among = quoted is not None and turns.first <= quoted.turn.index <= turns.last
        place = quoted if quoted is not None and is_among else places[0].place
        yield Extracted(_derived(MemoryDraft("pattern", spec=spec)), *turns, place.quote)

    def _turns_of(
        self, spec: JsonObject, steps: Sequence[str], places: Sequence[_Step]
    ) -> Range | None:
        """Return the turns that say a pattern, None for one that they do not say."""
        if not places or any(says_otherwise(*one.said, word_terms) for one in places):
            return None
        numbers = [one.place.turn.index for one in places]
        said = " ".join((*_texts(spec.get("name")), *_texts(spec.get("trigger")), *steps))
        texts = [text for held in spec.values() for text in _texts(held)]
        return self.grounds.around(texts, said, min(numbers), max(numbers))

    def _places_of_steps(self, steps: Sequence[str], cite: Cite) -> Iterator[_Step]:
        for step in steps:
            named = self.support.closest(step, among=lambda turn: turn.index in cite.turns)
            if place := named or self.support.closest(step, among=_anybody):
                yield _Step(step, place)

    def _outcome(self) -> Iterator[Extracted]:
        summary, status = self.found.outcome["summary"], self.found.outcome["status"]
        if not summary:
            return
        cite = next(iter(self.found.cites.get(OUTCOME, ())), Cite())
        said = self._said(summary, cite, _anybody, least=_LEAST_OF_OUTCOME, last=True)
        if said is None:
            self.dropped["unsupported"] += 1
            return
        ended = f" (outcome: {status})" if status in {"failure", "partial"} else ""
        statement = f"{summary.rstrip('. ')}{ended}" if ended else summary
        yield _extracted(MemoryDraft("event", statement, subject=""), said)


def _texts(held: object) -> list[str]:
    held = held if isinstance(held, list) else [held]
    return [text for text in held if isinstance(text, str)]


def _extracted(draft: MemoryDraft, said: _Said) -> Extracted:
    return Extracted(_derived(draft), *said.turns, said.place.quote)


def _derived(draft: MemoryDraft) -> MemoryDraft:
    return replace(draft, provenance="derived")


_USER = re.compile(r"(?:the\s+)?user(?=['\u2019]s\b|\s)", re.IGNORECASE)
# A list of facts about one person often leaves out who he is.
_VERBS: Final = (
    "prefers|likes|loves|hates|dislikes|enjoys|lives|works|is|has|wants|owns|uses|speaks|moved"
    "|needs"
)
_WITHOUT_USER = re.compile(rf"(?:(?:{_VERBS})|(?:always|never) \w+s)\s", re.IGNORECASE)
_SHORT = re.compile(r"^The user (doesn|didn|can|isn|hasn|wasn|won)['\u2019]?t\b", re.IGNORECASE)
_LONG: Final = {
    "doesn": "does not", "didn": "did not", "can": "cannot", "isn": "is not", "hasn": "has not",
    "wasn": "was not", "won": "will not",
}  # fmt: skip
_ADVERB: Final = (
    r"(?:(?:really|generally|usually|always|also|much|strongly|personally|definitely|still"
    r"|typically|absolutely|totally|truly|simply|especially|mostly|often|normally|actually"
    r"|strictly) )*"
)
_TASTE: Final = r"(?:prefer|like|love|hate|dislike|enjoy|adore|loathe|favou?r)s"
_HABIT: Final = r"(?:eats|drinks|uses|wears|smokes|cooks with|flies with|flys with|buys|writes in"
_ANSWERS: Final = (
    r"answer|reply|replies|response|explanation|summary|summaries|output|message|code example"
    r"|to be (?:called|addressed)|(?:the )?assistant|you to"
)
_PREFERENCE = re.compile(
    rf"The user (?:{_ADVERB}(?:{_TASTE}\b|(?:does not|did not) {_ADVERB}(?:like|eat|drink|enjoy"
    rf"|want)\b|cannot stand\b|would (?:rather|prefer)\b)|(?:always|never) {_HABIT}|codes in"
    rf"|travels by)\b|is called\b|asks:"
    rf"|{_ADVERB}(?:wants|asks for|asked for|asks|asked|expects|needs|would like)\b"
    rf".{{0,60}}?\b(?:{_ANSWERS}))",
    re.IGNORECASE,
)


def is_about_user(statement: str) -> bool:
    """Say whether the user is the subject of a statement."""
    return _USER.match(statement.strip()) is not None


def user_statement(text: str) -> str:
    """Return a statement that a model made about the user as the rules word theirs."""
    line = text.strip()
    if _WITHOUT_USER.match(line):
        line = f"The user {line[0].lower()}{line[1:]}"
    line = _USER.sub("The user", line, count=1) if _USER.match(line) else line
    return _SHORT.sub(lambda short: f"The user {_LONG[short[1].lower()]}", line)


def user_kind(statement: str) -> MemoryKind:
    """Return `preference` for what the user likes or wants answers to be, else `fact`."""
    return "preference" if _PREFERENCE.match(statement) else "fact"
