"""Parse what a model found in a transcript, and keep the statements that can be believed.

Nothing in a model's answer is an error. An answer that cannot be read gives the result `fail`. A
statement that cannot be believed is left out and counted.

A believed statement is one line, holds no secret, and says nothing that the model did not read.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from everturn.extraction.answers.field_values import (
    FACTS,
    LISTS,
    OUTCOME,
    PATTERNS,
    UNKNOWN,
    USER_FACTS,
    Cite,
    cite_of,
    items_of,
    outcome_of,
    pattern_of,
    text_of,
)
from everturn.extraction.answers.findings import Result
from everturn.extraction.answers.locate_answer import ModelAnswer, read_answer
from everturn.extraction.answers.proper_names import is_english, names_in
from everturn.extraction.answers.secret_patterns import holds_secret
from everturn.extraction.answers.transcript_text import SourceText
from everturn.memory.model.identity import identity_of
from everturn.recall.language.terms import matchable_text, terms_of
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.identifier_spans import identifier_spans
from everturn.values.visible_text import one_line, well_formed

Reason = Literal["", "shape", "long", "secret", "verbatim", "echo"]

MAX_CHARS: Final = 2_000
"""A longer statement is a loop of its model, or a transcript."""

# What a backslash and a letter become where the model wrote `D:\\new` as it stands.
_ESCAPED: Final = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_CONTROLS = re.compile("[\b\t\n\f\r]")
# No writer means these two; and what follows a drive is the rest of a path.
_SPOILED = re.compile(r"[\b\f]|\b[A-Za-z]:[\b\t\n\f\r]")
_SPEAKERS = re.compile(r"\b(?:user|assistant|system|tool|agent)\b", re.IGNORECASE)


class StatementGuard:
    """Believes statements of a model that has read one transcript."""

    def __init__(self, transcript: str | None, examples: Sequence[str] = ()) -> None:
        """Take what the model read; None for what is not known, which is then not looked at."""
        whole = well_formed(transcript or "")
        text = matchable_text(whole)
        self._source = None if transcript is None else SourceText(text)
        self._said, self._read = _folded(text), _folded(whole)
        self._examples = frozenset(map(identity_of, examples))
        self._terms = frozenset(terms_of(_SPEAKERS.sub(" ", text)))
        self._is_english = is_english(text)

    def believed(self, text: str) -> tuple[str | None, Reason]:
        """Return a statement in one line as it may be kept; else None and why it may not."""
        if len(text) > MAX_CHARS:
            return None, "long"
        if not identity_of(text):
            return None, "shape"
        if holds_secret(text):
            return None, "secret"
        readings = map(self._verbatim, self._readings(text.strip()))
        line = next((line for line in readings if line is not None), None)
        if line is None:
            return None, "verbatim"
        return (None, "echo") if self._is_echo(line) else (line, "")

    def _verbatim(self, reading: str) -> str | None:
        line = one_line(reading)
        return line if self._source is None else self._source.verbatim(line)

    def _readings(self, text: str) -> Iterator[str]:
        """Yield what a statement may say, most likely first: backslashes are often miswritten."""
        written = _CONTROLS.sub(lambda control: _ESCAPED[control[0]], text)
        if written != text and any(path in self._said for path in _folded_paths(written)):
            yield written
        if not _SPOILED.search(text):
            yield text
            yield text.replace("\\\\", "\\")

    def _is_echo(self, line: str) -> bool:
        """Say whether a statement was taken from the prompt or from recalled memory."""
        said = _folded(line).rstrip(".!")
        if said in self._said:
            return False
        if identity_of(line) in self._examples or said in self._read:
            return True
        if not self._is_english or not names_in(line):
            return False
        # Who is named and what is said of him, no word of it was read.
        return self._terms.isdisjoint(terms_of(_SPEAKERS.sub(" ", line)))


def _folded_paths(text: str) -> list[str]:
    spans = identifier_spans(text)
    return [text[begin:end].casefold() for begin, end in spans if "\\" in text[begin:end]]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


LIMITS: Final[Mapping[str, int]] = {FACTS: 5, USER_FACTS: 5, PATTERNS: 3}
"""How many of each are kept of one answer, the first ones; there is one outcome."""

# What gateways call an end that the model did not choose, as OpenAI, Anthropic, Bedrock and Gemini
# write it. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
_ENDED_EARLY: Final = frozenset({
    "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded",
    "incomplete", "content_filter", "content_filtered", "guardrail_intervened", "safety",
    "recitation", "refusal", "error",
})  # fmt: skip
# What makes it this pattern, as for a stored one.
_IDENTITY: Final = ("name", "trigger", "steps")
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found, in the order of the answer.

    `ok` is complete, though there may be nothing in it; `salvaged` is usable and known to be
    incomplete: ask again for less; `fail` holds nothing: ask again, and count nothing as read.
    """

    result: Result
    facts: list[str] = field(default_factory=list)
    user_facts: list[str] = field(default_factory=list)
    patterns: list[JsonObject] = field(default_factory=list)
    """`name` and `trigger` are texts, maybe ""; the other fields of a pattern lists of texts."""
    outcome: dict[str, str] = field(default_factory=lambda: {"summary": "", "status": UNKNOWN})
    """`summary`, maybe ""; `status`: success, failure, partial or unknown."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Items left out, by reason: shape, long, secret, verbatim, echo, duplicate, limit."""
    cites: Mapping[str, tuple[Cite, ...]] = field(default_factory=dict)
    """Where the model says that it found them: one an item of each list, and one of the outcome."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.facts or self.user_facts or self.patterns or self.outcome["summary"])


def parse_extraction(
    raw: JsonValue,
    *,
    finish_reason: str | None = None,
    transcript: str | None = None,
    examples: Sequence[str] = (),
) -> Extraction:
    """Read the answer of a model; never raises.

    Args:
        raw: the text that it returned; None for none. A value that a gateway has already read,
            such as a list of parts, is one too.
        finish_reason: why it ended, as the gateway says it. Where it was cut off, whole items are
            kept.
        transcript: what it had read. With it an item is left out whose identifiers, numbers and
            dates do not stand there, and one that was taken from elsewhere; blocks of recalled
            memory in it are no source. None looks at no sources.
        examples: statements of the prompt, which small models repeat.
    """
    text = raw if isinstance(raw, str) else json.dumps(raw)
    answer = read_answer(text, transcript=transcript or "")
    if answer is None:
        return Extraction("fail")
    guard = StatementGuard(transcript, examples)
    found = _Reading(guard, answer.fields).extraction(_result(answer, finish_reason))
    if found.is_empty and (found.result == "salvaged" or _is_unreadable(found, answer)):
        return Extraction("fail", dropped=found.dropped)
    return found


def _result(answer: ModelAnswer, finish_reason: str | None) -> Result:
    ended_early = (finish_reason or "").strip().lower() in _ENDED_EARLY
    is_part = answer.cut or answer.damaged or (ended_early and not answer.last)
    return "salvaged" if is_part else "ok"


def _is_unreadable(found: Extraction, answer: ModelAnswer) -> bool:
    """Say whether all that was there had no shape that says anything."""
    shapeless = found.dropped.get("shape", 0)
    return bool(shapeless) and shapeless == sum(len(items_of(answer.fields.get(n))) for n in LISTS)


@dataclass(slots=True)
class _Reading:
    """One answer on its way to an extraction."""

    guard: StatementGuard
    fields: JsonObject
    dropped: Counter[str] = field(default_factory=Counter)

    def extraction(self, result: Result) -> Extraction:
        facts, user_facts = self._statements(FACTS), self._statements(USER_FACTS)
        patterns = self._patterns()
        summary, status = outcome_of(self.fields.get(OUTCOME))
        cites = {
            FACTS: tuple(cite for _, cite in facts),
            USER_FACTS: tuple(cite for _, cite in user_facts),
            PATTERNS: tuple(cite for _, cite in patterns),
            OUTCOME: (cite_of(self.fields.get(OUTCOME)),),
        }
        return Extraction(
            result,
            [text for text, _ in facts],
            [text for text, _ in user_facts],
            [pattern for pattern, _ in patterns],
            {"summary": (self._believed(summary) or "") if summary else "", "status": status},
            dict(self.dropped),
            cites,
        )

    def _statements(self, name: str) -> list[tuple[str, Cite]]:
        items = ((self._text(item), cite_of(item)) for item in items_of(self.fields.get(name)))
        believed = ((identity_of(text), (text, cite)) for text, cite in items if text is not None)
        return self._first(believed, LIMITS[name])

    def _text(self, item: JsonValue) -> str | None:
        text = text_of(item)
        if text is None:
            self.dropped["shape"] += 1
            return None
        return self._believed(text)

    def _believed(self, text: str) -> str | None:
        line, reason = self.guard.believed(text)
        self.dropped.update([reason] if reason else [])
        return line

    def _patterns(self) -> list[tuple[JsonObject, Cite]]:
        items = items_of(self.fields.get(PATTERNS))
        believed = ((self._pattern(item), cite_of(item)) for item in items)
        kept = ((_identity_of_pattern(p), (p, cite)) for p, cite in believed if p is not None)
        return self._first(kept, LIMITS[PATTERNS])

    def _pattern(self, item: JsonValue) -> JsonObject | None:
        pattern = pattern_of(item)
        if pattern is None:
            self.dropped["shape"] += 1
            return None
        believed: JsonObject = {}
        for name, held in pattern.items():
            lines = [self._believed(text) for text in _texts(held)]
            # One item less would be another procedure.
            if None in lines:
                return None
            believed[name] = [*lines] if isinstance(held, list) else "".join(map(str, lines))
        return believed

    def _first(self, items: Iterable[tuple[str, _Item]], limit: int) -> list[_Item]:
        """Return the first items of different identities, at most so many."""
        kept: dict[str, _Item] = {}
        for identity, item in items:
            if identity in kept:
                self.dropped["duplicate"] += 1
            elif len(kept) == limit:
                self.dropped["limit"] += 1
            else:
                kept[identity] = item
        return [*kept.values()]


def _texts(held: JsonValue) -> list[str]:
    """Return the texts of a pattern's field, but for an empty one."""
    held = held if isinstance(held, list) else [held]
    return [text for text in held if isinstance(text, str) and text]


def _identity_of_pattern(pattern: JsonObject) -> str:
    return identity_of(next("\n".join(t) for n in _IDENTITY if (t := _texts(pattern[n]))))
