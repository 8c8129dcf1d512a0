"""Where a memory comes from: a conversation, a request, or nothing that is named.

A source is named by 16 hex digits of a hash; its conversation and a quote stand beside it where
they are known.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from everturn.memory.model.identity import is_ref
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.timestamps import format_time, parse_time

OutcomeStatus = Literal["success", "failure", "partial"]
STATUSES: tuple[OutcomeStatus, ...] = ("success", "failure", "partial")
FIRST_NS: Final = -(2**63) + 1
LAST_NS: Final = 2**63 - 1
"""Times are ranked as int64, which ends in the years 1677 and 2262; the least stands for none."""

# Of one source, beside the first: what was said again and again tells nothing new.
_MAX_MENTIONS = 15


class Mention(NamedTuple):
    """One time at which a source said it; fields are those of `Source`."""

    at_ns: int
    first_turn: int | None = None
    last_turn: int | None = None
    quote: str = ""
    said: str = ""
    key: str = ""

    def to_json(self) -> JsonObject:
        """Return it as it is stored."""
        fields: JsonObject = {
            "at": format_time(self.at_ns),
            "from": self.first_turn,
            "to": self.last_turn,
            "quote": self.quote or None,
            "said": self.said or None,
            "key": self.key or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


def _place(mention: Mention) -> tuple[int, int, int, str, str, str]:
    first = -1 if mention.first_turn is None else mention.first_turn
    last = -1 if mention.last_turn is None else mention.last_turn
    return mention.at_ns, first, last, mention.quote, mention.said, mention.key


@dataclass(frozen=True, slots=True)
class Source:
    """One source of a memory, and when it said it last.

    `first_turn` to `last_turn` are the turns of the conversation, both included; `quote` stands in
    them. `said` is 16 hex digits of a hash of what a pattern was according to this source, `key`
    those of the key of the request. `earlier` are the times at which it said so before, in order:
    the first, and the newest of the others.
    """

    ref: str
    at_ns: int
    conversation_id: str | None = None
    first_turn: int | None = None
    last_turn: int | None = None
    quote: str = ""
    said: str = ""
    key: str = ""
    earlier: tuple[Mention, ...] = ()

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """Each time at which it said so, in order."""
        own = Mention(self.at_ns, self.first_turn, self.last_turn, self.quote, self.said, self.key)
        return (*self.earlier, own)

    @property
    def times_ns(self) -> tuple[int, ...]:
        """When it said so, in order."""
        return tuple(mention.at_ns for mention in self.mentions)

    def with_mentions(self, mentions: Iterable[Mention]) -> "Source | None":
        """Return the source with these mentions; None without any.

        Of very many the first and the newest are kept.
        """
        in_order = sorted(set(mentions), key=_place)
        if not in_order:
            return None
        *earlier, newest = (*in_order[:1], *in_order[1:][-_MAX_MENTIONS:])
        return Source(self.ref, newest.at_ns, self.conversation_id, *newest[1:], tuple(earlier))

    def again(self, other: "Source") -> "Source":
        """Return the source that said so once more."""
        return self.with_mentions((*self.mentions, *other.mentions)) or self

    def to_json(self) -> JsonObject:
        """Return it as it is stored."""
        *earlier, newest = self.mentions
        fields: JsonObject = {"ref": self.ref, **newest.to_json()}
        if self.conversation_id is not None:
            fields["conversation_id"] = self.conversation_id
        if earlier:
            fields["earlier"] = [mention.to_json() for mention in earlier]
        return fields


class FurtherSource(NamedTuple):
    """What is kept of a source beyond those that are kept whole."""

    ref: str
    at_ns: int
    said: str = ""
    earlier_ns: tuple[int, ...] = ()

    @property
    def times_ns(self) -> tuple[int, ...]:
        """When it said so first, and last."""
        return (*self.earlier_ns, self.at_ns)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How following a pattern went, according to one source."""

    ref: str
    status: OutcomeStatus
    at_ns: int


def further(source: Source) -> FurtherSource:
    """Return what is kept of a source that is one of very many."""
    return FurtherSource(source.ref, source.at_ns, source.said, source.times_ns[:-1][:1])


def parse_source(value: Any) -> Source:  # noqa: ANN401 - a JSON value of any shape
    """Read what `to_json` gave.

    Raises:
        ValueError, TypeError, KeyError: it is something else.
    """
    conversation_id = value.get("conversation_id")
    if not isinstance(conversation_id, str | None):
        raise TypeError("a source is no source")
    newest, earlier = _mention(value), tuple(map(_mention, value.get("earlier", ())))
    return Source(ref_of(value["ref"]), newest.at_ns, conversation_id, *newest[1:], earlier)


def _mention(value: Any) -> Mention:  # noqa: ANN401 - a JSON value of any shape
    mention = Mention(
        at_ns=time_of(value["at"]),
        first_turn=value.get("from"),
        last_turn=value.get("to"),
        quote=value.get("quote", ""),
        said=value.get("said", ""),
        key=value.get("key", ""),
    )
    texts = (mention.quote, mention.said, mention.key)
    numbers = (mention.first_turn or 0, mention.last_turn or 0)
    if {*map(type, texts)} != {str} or {*map(type, numbers)} != {int}:
        raise TypeError("a mention is no mention")
    return mention


def ref_of(value: JsonValue) -> str:
    """Read the name of a source.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, str) or not is_ref(value):
        raise ValueError("the name of a source is none")
    return value


def time_of(value: JsonValue) -> int:
    """Read a stored time.

    Raises:
        ValueError: it is none, or not between `FIRST_NS` and `LAST_NS`.
    """
    time_ns = parse_time(value) if isinstance(value, str) else None
    if time_ns is None or not FIRST_NS <= time_ns <= LAST_NS:
        raise ValueError("a time is no time")
    return time_ns
