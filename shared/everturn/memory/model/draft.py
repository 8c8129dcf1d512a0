"""What may become a memory: checked, with what is not said filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from everturn.errors import InvalidRequestError
from everturn.memory.model.identity import identity_of, rid_of, source_ref
from everturn.memory.model.memory import Memory
from everturn.memory.model.pattern_spec import PatternSpec, parse_spec
from everturn.memory.model.source import FIRST_NS, LAST_NS, Source
from everturn.values.go_json import JsonValue
from everturn.values.keys import valid_id
from everturn.values.memory_kind import KINDS, USER, MemoryKind, Provenance
from everturn.values.visible_text import is_blank, well_formed

MAX_STATEMENT_CHARS: Final = 4_000
MAX_SUBJECT_CHARS: Final = 200
MAX_QUOTE_CHARS: Final = 2_000
MAX_IMPORTANCE: Final = 10
_USER_FACT: Final = 7
_IMPORTANCE: Final[Mapping[MemoryKind, int]] = {
    "fact": 5, "event": 4, "pattern": 6, "preference": 7, "goal": 6, "constraint": 8,
}  # fmt: skip
# A preference is somebody's; what is not said is that it is the user's.
_SUBJECTS: Final[Mapping[MemoryKind, str]] = {"preference": USER, "goal": USER}


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory as it was sent; None stands for what was not."""

    kind: str
    statement: str | None = None
    spec: JsonValue = None
    subject: str | None = None
    hard: bool = False
    importance: int | None = None
    valid_from_ns: int | None = None
    pinned: bool = False
    provenance: Provenance = "user_input"


@dataclass(frozen=True, slots=True)
class SourceDraft:
    """Where a memory comes from: a conversation, else the key of the request, else nothing.

    A request that comes again with its key says nothing new.
    """

    conversation_id: str | None = None
    first_turn: int | None = None
    last_turn: int | None = None
    quote: str = ""
    key: str | None = None
    at_ns: int | None = None
    """When it was said, if not now."""

    @property
    def key_ref(self) -> str:
        """16 hex digits that stand for the key, "" without one."""
        return "" if self.key is None else source_ref("key", self.key)


def new_memory(draft: MemoryDraft) -> Memory:
    """Return the memory that a draft is, without sources.

    Raises:
        InvalidRequestError: a field is not what it must be.
    """
    kind = next((kind for kind in KINDS if kind == draft.kind), None)
    if kind is None:
        raise InvalidRequestError(f"a kind is one of {', '.join(KINDS)}", field="kind")
    statement, spec = _said(draft, kind)
    given = draft.subject if draft.subject is not None else _SUBJECTS.get(kind, "")
    subject = _text(given, "subject", MAX_SUBJECT_CHARS)
    identity = identity_of(spec.identity_text if spec else statement)
    if not identity:
        field = "spec" if spec else "statement"
        raise InvalidRequestError("there is nothing in it but marks", field=field)
    return Memory(
        rid_of(kind, subject, identity),
        kind,
        statement=statement,
        spec=spec,
        subject=subject,
        hard=draft.hard,
        importance=_importance(draft.importance, kind, subject),
        pinned=draft.pinned,
        provenance=draft.provenance,
        valid_from_ns=checked_valid_from(draft.valid_from_ns),
    )


def _said(draft: MemoryDraft, kind: MemoryKind) -> tuple[str, PatternSpec | None]:
    if draft.statement is not None and draft.spec is not None:
        raise InvalidRequestError("a memory has a statement or a spec", field="spec")
    if kind == "pattern":
        spec = draft.statement if draft.spec is None else draft.spec
        field = "statement" if draft.spec is None else "spec"
        if spec is None:
            raise InvalidRequestError("a pattern has a spec", field="spec")
        return "", parse_spec(spec, field=field)
    if draft.spec is not None:
        raise InvalidRequestError("only a pattern has a spec", field="spec")
    statement = _text(draft.statement or "", "statement", MAX_STATEMENT_CHARS)
    if is_blank(statement):
        raise InvalidRequestError("a statement is not blank", field="statement")
    return statement, None


def _text(value: str, field: str, limit: int) -> str:
    text = well_formed(value).strip()
    if len(text) > limit:
        raise InvalidRequestError(f"too long max_chars={limit}", field=field)
    return text


def _importance(given: int | None, kind: MemoryKind, subject: str) -> int:
    if given is None:
        is_user_fact = kind == "fact" and identity_of(subject) == USER
        return _USER_FACT if is_user_fact else _IMPORTANCE[kind]
    return checked_importance(given)


def checked_importance(value: int) -> int:
    """Return an importance that may be.

    Raises:
        InvalidRequestError: it is none.
    """
    if not 0 <= value <= MAX_IMPORTANCE:
        raise InvalidRequestError(f"importance is 0 to {MAX_IMPORTANCE}", field="importance")
    return value


def checked_valid_from(value_ns: int | None) -> int | None:
    """Return a time from which a memory may hold.

    Raises:
        InvalidRequestError: it is beyond the years that a memory can be ranked by.
    """
    if value_ns is not None and not FIRST_NS <= value_ns <= LAST_NS:
        raise InvalidRequestError("a time is of the years 1678 to 2261", field="valid_from")
    return value_ns


def new_source(draft: SourceDraft, memory: Memory, *, now_ns: int) -> Source:
    """Return the source of a memory.

    Raises:
        InvalidRequestError: its conversation, its turns or its quote are none.
    """
    # Another program's file may hold any time.
    at_ns = max(now_ns if draft.at_ns is None else draft.at_ns, FIRST_NS)
    key = draft.key_ref
    if draft.conversation_id is None:
        if draft.first_turn is not None or draft.last_turn is not None or draft.quote:
            raise InvalidRequestError(
                "turns and quotes are of a conversation", field="source.conversation_id"
            )
        return Source(key or source_ref("direct", ""), at_ns, said=memory.said)
    id_ = valid_id(draft.conversation_id, field="source.conversation_id")
    first, last = _turns(draft)
    quote = _text(draft.quote, "source.quote", MAX_QUOTE_CHARS)
    ref = source_ref("conversation", id_)
    return Source(ref, at_ns, id_, first, last, quote, memory.said, key)


def _turns(draft: SourceDraft) -> tuple[int | None, int | None]:
    first = draft.last_turn if draft.first_turn is None else draft.first_turn
    last = draft.first_turn if draft.last_turn is None else draft.last_turn
    if first is None or last is None:
        return None, None
    if not 0 <= first <= last:
        raise InvalidRequestError(
            "a range of turns ends where it begins or later", field="source.to"
        )
    return first, last
