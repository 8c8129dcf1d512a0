"""What of a model's statements is believed: one line, no secret, nothing that it did not read."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from everturn.extraction.answers.proper_names import is_english, names_in
from everturn.extraction.answers.secret_patterns import holds_secret
from everturn.extraction.answers.transcript_text import SourceText
from everturn.memory.model.identity import identity_of
from everturn.recall.language.terms import matchable_text, terms_of
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
