"""The head file of a conversation: read from bytes, changed, written as Go would write it.

An append never looks into the bytes of turns already stored: a head keeps them as one run and is
put together around it. What takes the run apart, to seal, pop or redact, carries every other turn
over as it is (conversations/model/encoded_turns.py).

    {"conversation_id","title"?,"turns":[...],"updated", fields of other programs...,
     "folder"?,"archived"?,"metadata"?,"sealed"?,"deleted"?}
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from everturn.conversations.model.encoded_turns import file_time, newest_time, oldest_time
from everturn.conversations.model.segment_refs import Sealed, parse_sealed
from everturn.conversations.model.turn import Turn, readable_turn
from everturn.errors import CorruptRecordError
from everturn.values.go_json import JsonObject, JsonValue, dumps, inside, members_of
from everturn.values.timestamps import format_time

# The fields that we add to Go's four, in the order in which they are written.
_OWN_FIELDS: dict[str, type] = {
    "folder": str, "archived": bool, "metadata": dict, "sealed": dict, "deleted": dict,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Head:
    """A conversation without parsed turns; `turns_json` is the inside of their array, verbatim.

    `turn_count` counts all turns; those before `first_turn` are sealed.
    """

    conversation_id: str
    turns_json: bytes = b""
    turn_count: int = 0
    updated_ns: int = 0
    title: str = ""
    folder: str | None = None
    archived: bool = False
    metadata: JsonObject | None = None
    sealed: Sealed | None = None
    deleted: JsonObject | None = None
    foreign: tuple[tuple[str, str], ...] = ()
    """Names and raw JSON of fields that another program wrote."""

    @property
    def first_turn(self) -> int:
        """The number of the first turn that stands in the head itself."""
        return self.sealed.turns if self.sealed else 0

    def with_turns(self, encoded: Sequence[bytes], *, updated_ns: int) -> "Head":
        """Return the head with turns appended."""
        run = b",".join([self.turns_json, *encoded] if self.turns_json else encoded)
        return replace(
            self, turns_json=run, turn_count=self.turn_count + len(encoded), updated_ns=updated_ns
        )

    def tombstone(self, *, updated_ns: int) -> "Head":
        """Return what stands in the place of a deleted conversation: no text at all.

        It names what is still to be removed, until `done`.
        """
        names: list[JsonValue] = [ref.name for ref in self.sealed.segments] if self.sealed else []
        deleted: JsonObject = {"segs": names, "turns": self.turn_count, "done": False}
        return Head(self.conversation_id, updated_ns=updated_ns, deleted=deleted)

    def done(self) -> "Head":
        """Return the tombstone of a conversation of which nothing is left."""
        deleted: JsonObject = {**(self.deleted or {}), "segs": [], "done": True}
        return Head(self.conversation_id, updated_ns=self.updated_ns, deleted=deleted)

    @property
    def is_done(self) -> bool:
        """Whether this is a tombstone, and nothing is left: no turns of another program either."""
        is_done = self.deleted is not None and self.deleted.get("done") is True
        return is_done and not self.turns_json

    def encode(self) -> bytes:
        """Return the file, byte for byte as Go's encoding/json prints these fields."""
        title = f',"title":{dumps(self.title)}' if self.title else ""
        front = f'{{"conversation_id":{dumps(self.conversation_id)}{title},"turns":['
        fields = "".join(f",{dumps(name)}:{raw}" for name, raw in self._members())
        back = f'],"updated":"{format_time(self.updated_ns)}"{fields}}}'
        return front.encode() + self.turns_json + back.encode()

    def _members(self) -> list[tuple[str, str]]:
        values = {name: getattr(self, name) for name in _OWN_FIELDS}
        if self.sealed:
            values["sealed"] = self.sealed.json()
        return [*self.foreign, *((name, dumps(value)) for name, value in values.items() if value)]


@dataclass(frozen=True, slots=True)
class Record:
    """A head together with its own turns as parsed values, in order; sealed ones are not here."""

    head: Head
    values: tuple[JsonValue, ...]

    def readable_turns(self) -> list[Turn]:
        """Return the readable turns of the head, oldest first; each keeps its number."""
        return list(self.oldest_turns())

    def newest_turns(self) -> Iterator[Turn]:
        """Yield the readable turns of the head, newest first."""
        return reversed_readable(self.head.first_turn, self.values)

    def oldest_turns(self) -> Iterator[Turn]:
        """Yield the readable turns of the head, oldest first."""
        return readable(self.head.first_turn, self.values)

    @property
    def newest_ns(self) -> int:
        """The greatest `ts` of all turns in Unix nanoseconds, sealed ones included; 0 without."""
        sealed_ns = self.head.sealed.newest_ns if self.head.sealed else 0
        return max(sealed_ns, newest_time(self.values))

    @property
    def oldest_ns(self) -> int:
        """The least `ts` of all turns or less, in Unix nanoseconds: 0 where it is not known.

        What is sealed says nothing of its oldest turn.
        """
        return 0 if self.head.sealed else oldest_time(self.values)


def readable(first: int, values: Sequence[JsonValue]) -> Iterator[Turn]:
    """Yield the readable turns of values, the first of which has the number `first`."""
    numbered = (readable_turn(index, value) for index, value in enumerate(values, first))
    return (turn for turn in numbered if turn is not None)


def reversed_readable(first: int, values: Sequence[JsonValue]) -> Iterator[Turn]:
    """Yield the same, newest first."""
    for index in range(len(values) - 1, -1, -1):
        turn = readable_turn(first + index, values[index])
        if turn is not None:
            yield turn


def parse_record(body: bytes, *, name: str) -> Record:
    """Read a head file, ours, Go's or a foreign one.

    Args:
        body: the file.
        name: the conversation, for the error's message.

    Raises:
        CorruptRecordError: it is no JSON object with a `conversation_id` and a list of turns.
    """
    try:
        text = body.decode("utf-8-sig")
        members, spans = members_of(text)
        sealed = _sealed(members.get("sealed"))
    except (ValueError, RecursionError) as error:
        raise CorruptRecordError(f"a stored record cannot be read conversation={name}") from error
    values = members.pop("turns", ())
    # Go cannot read a title that is no string; it is kept like any field that is not ours.
    title = members.get("title")
    if title is None or isinstance(title, str):
        members.pop("title", None)
    conversation_id = members.pop("conversation_id", None)
    values = [] if values is None else values
    if not isinstance(conversation_id, str) or not isinstance(values, list):
        raise CorruptRecordError(f"a stored record has no id or no turns conversation={name}")
    updated_ns = file_time(members.pop("updated", None))
    own = {key: members[key] for key, kind in _OWN_FIELDS.items() if _says(members.get(key), kind)}
    own.pop("sealed", None)
    kept = {key for key in members if key not in own and not (key == "sealed" and sealed)}
    head = Head(
        conversation_id,
        turns_json=inside(text, spans["turns"]).encode() if values else b"",
        turn_count=len(values) + (sealed.turns if sealed else 0),
        updated_ns=newest_time(values) if updated_ns is None else updated_ns,
        title=title if isinstance(title, str) else "",
        sealed=sealed,
        foreign=tuple((key, text[slice(*spans[key])]) for key in members if key in kept),
        **own,  # type: ignore[arg-type]  # each value was checked against _OWN_FIELDS above
    )
    return Record(head, tuple(values))


def _sealed(value: JsonValue) -> Sealed | None:
    """Read our field; what has no segments is another program's, whatever it says."""
    return parse_sealed(value) if isinstance(value, dict) and "segs" in value else None


def _says(value: JsonValue, kind: type) -> bool:
    """Whether a field is ours; an empty one says nothing to us, and stays as another wrote it."""
    return isinstance(value, kind) and bool(value)
