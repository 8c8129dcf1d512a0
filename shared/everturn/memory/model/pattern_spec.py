"""A proven way of doing something: when it applies, what to check, the steps, what went wrong."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from everturn.errors import InvalidRequestError
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.visible_text import is_blank, one_line, well_formed

MAX_ITEMS = 32
MAX_ITEM_CHARS = 1_000
MAX_NAME_CHARS = 200

_PREFIX = "everturn.pattern.v1:"
# The second is how other agents keep the same six fields; it is read, never written.
_PREFIXES = (_PREFIX, "neo.pattern.v1:")
_LISTS = ("preconditions", "steps", "gotchas", "success_criteria")
_FIELDS = ("name", "trigger", *_LISTS)
# A foreign field's name becomes part of an error, and may be of any length.
_SHOWN_CHARS = 64


@dataclass(frozen=True, slots=True)
class PatternSpec:
    """One pattern; `steps` are in order, the other lists need none.

    `trigger` says when it applies. A pattern that was given as plain text is one step alone.
    """

    name: str = ""
    trigger: str = ""
    preconditions: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    gotchas: tuple[str, ...] = ()
    success_criteria: tuple[str, ...] = ()

    @property
    def identity_text(self) -> str:
        """What makes it this pattern: its name, else its trigger, else its steps, one a line."""
        return self.name or self.trigger or "\n".join(self.steps)

    @property
    def line(self) -> str:
        """The whole pattern in one line: what is matched, embedded and shown."""
        if self == PatternSpec(steps=self.steps[:1]):
            return one_line("".join(self.steps))
        return one_line(" | ".join(self._sections()))

    def _sections(self) -> Iterator[str]:
        numbered = tuple(f"{number}) {step}" for number, step in enumerate(self.steps, 1))
        if self.name:
            yield self.name
        for label, items in (
            ("when", (self.trigger,) if self.trigger else ()),
            ("first", self.preconditions),
            ("steps", numbered),
            ("watch out", self.gotchas),
            ("done when", self.success_criteria),
        ):
            if items:
                yield f"{label}: {'; '.join(items)}"

    def to_json(self) -> JsonObject:
        """Return the fields that are not empty, by their names."""
        value: JsonObject = {}
        for name in _FIELDS:
            held: str | tuple[str, ...] = getattr(self, name)
            if held:
                value[name] = held if isinstance(held, str) else list(held)
        return value

    @property
    def digest(self) -> str:
        """16 hex digits that tell this spec from another."""
        return hashlib.blake2b(dumps(self.to_json()).encode(), digest_size=8).hexdigest()

    def encode(self) -> str:
        """Return the text form, which says its version: `everturn.pattern.v1:{...}`."""
        return _PREFIX + dumps(self.to_json())


def parse_spec(value: JsonValue, *, field: str = "spec") -> PatternSpec:
    """Read a pattern from its JSON object or from a text.

    A text is `everturn.pattern.v1:{...}` or `neo.pattern.v1:{...}`; any other is one step. White
    space around a text is dropped.

    Args:
        value: what was sent.
        field: its path, which errors begin with.

    Raises:
        InvalidRequestError: a field is unknown, blank, too long or of another type, or there is
            no name, no trigger and no step; `field` says where, such as `spec.steps[2]`.
    """
    if isinstance(value, str):
        text = well_formed(value).strip()
        encoded = next((text[len(p) :] for p in _PREFIXES if text.startswith(p)), None)
        if encoded is None:
            return PatternSpec(steps=(_read_text(text, MAX_ITEM_CHARS, field),))
        value = _decoded(encoded, field)
    if not isinstance(value, dict):
        raise InvalidRequestError("a pattern is an object or a text", field=field)
    return _read_fields(value, field)


def _decoded(text: str, field: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InvalidRequestError("what follows the prefix is no json", field=field) from exc
    return value


def _read_fields(value: JsonObject, field: str) -> PatternSpec:
    unknown = next((name for name in value if name not in _FIELDS), None)
    if unknown is not None:
        path = f"{field}.{well_formed(unknown[:_SHOWN_CHARS])}"
        raise InvalidRequestError("a pattern has no such field", field=path)
    spec = PatternSpec(
        _read_member(value, "name", MAX_NAME_CHARS, field),
        _read_member(value, "trigger", MAX_ITEM_CHARS, field),
        *(_read_items(value.get(name, []), f"{field}.{name}") for name in _LISTS),
    )
    if not spec.identity_text:
        raise InvalidRequestError("a pattern has a name, a trigger or steps", field=field)
    return spec


def _read_member(value: JsonObject, name: str, max_chars: int, field: str) -> str:
    return _read_text(value[name], max_chars, f"{field}.{name}") if name in value else ""


def _read_items(value: JsonValue, field: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise InvalidRequestError("this is a list of texts", field=field)
    if len(value) > MAX_ITEMS:
        raise InvalidRequestError(f"a list is too long max_items={MAX_ITEMS}", field=field)
    return tuple(
        _read_text(item, MAX_ITEM_CHARS, f"{field}[{index}]") for index, item in enumerate(value)
    )


def _read_text(value: JsonValue, max_chars: int, field: str) -> str:
    if not isinstance(value, str):
        raise InvalidRequestError("this is a text", field=field)
    text = well_formed(value).strip()
    if is_blank(text):
        raise InvalidRequestError("a text is not blank", field=field)
    if len(text) > max_chars:
        raise InvalidRequestError(f"a text is too long max_chars={max_chars}", field=field)
    return text
