"""The file of one memory: plain JSON.

What follows from the sources is written for other readers, and made anew when it is read.

    {"id","kind","statement" or "spec","subject","hard","importance","count","coverage","strength",
     "sources","more","first_seen","last_seen","valid_from"?,"supersedes","pinned","provenance",
     "outcomes"?,"promoted"?,"earlier"?,"write"}
    {"id","kind","forgotten","times","refs","supersedes","valid_from"?,"write"}   one forgotten
    {"id","kind","gone","refs","write"}                             one that went with its sources
"""

import json
from dataclasses import replace
from typing import Any

from everturn.errors import CorruptRecordError, InvalidRequestError
from everturn.memory.model.draft import checked_importance
from everturn.memory.model.identity import is_rid
from everturn.memory.model.memory import EarlierSpec, Memory, Promotion
from everturn.memory.model.pattern_spec import parse_spec
from everturn.memory.model.source import (
    STATUSES,
    FurtherSource,
    Outcome,
    parse_source,
    ref_of,
    time_of,
)
from everturn.memory.model.supersession import Replaces
from everturn.values.go_json import JsonObject, JsonValue, dumps
from everturn.values.memory_kind import KINDS, PROVENANCES, MemoryKind
from everturn.values.timestamps import format_time

_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, InvalidRequestError)


def encode_memory(memory: Memory) -> bytes:
    """Return the file of a memory."""
    if memory.is_forgotten:
        return _bytes(_left(memory))
    said: JsonObject = {"spec": memory.spec.to_json()} if memory.spec else {}
    body: JsonObject = {
        "id": memory.rid,
        "kind": memory.kind,
        **(said or {"statement": memory.statement}),
        "subject": memory.subject,
        "hard": memory.hard,
        "importance": memory.importance,
        "count": memory.count,
        "coverage": memory.count,
        "strength": memory.strength,
        "sources": [source.to_json() for source in memory.sources],
        "more": [_further_json(one) for one in memory.more],
        "first_seen": format_time(memory.first_seen_ns),
        "last_seen": format_time(memory.last_seen_ns),
        "supersedes": list(map(_edge_json, memory.replaces)),
        "pinned": memory.pinned,
        "provenance": memory.provenance,
    }
    return _bytes({**body, **_rare(memory), "write": memory.write})


def _left(memory: Memory) -> JsonObject:
    """Return what is stored of a memory of which nothing is left."""
    body: JsonObject = {"id": memory.rid, "kind": memory.kind}
    refs: JsonObject = {"refs": list(memory.once_refs)}
    if memory.gone_ns is not None:
        body = {**body, "gone": format_time(memory.gone_ns), **refs}
    elif memory.forgotten_ns is not None:
        times: JsonObject = {"times": list(map(format_time, memory.once_said_ns))}
        edges: JsonObject = {"supersedes": list(map(_edge_json, memory.replaces))}
        body = {**body, "forgotten": format_time(memory.forgotten_ns), **times, **refs, **edges}
        if memory.valid_from_ns is not None:
            body["valid_from"] = format_time(memory.valid_from_ns)
    return {**body, "write": memory.write}


def _rare(memory: Memory) -> JsonObject:
    """Return the fields that most memories have not."""
    body: JsonObject = {}
    if memory.valid_from_ns is not None:
        body["valid_from"] = format_time(memory.valid_from_ns)
    if memory.outcomes:
        body["outcomes"] = [
            [one.ref, one.status, format_time(one.at_ns)] for one in memory.outcomes
        ]
    if memory.promoted is not None:
        body["promoted"] = {
            "name": memory.promoted.name,
            "at": format_time(memory.promoted.at_ns),
        }
    if memory.earlier:
        body["earlier"] = [
            {"spec": one.spec.to_json(), "said": one.said, "replaced": format_time(one.replaced_ns)}
            for one in memory.earlier
        ]
    return body


def _further_json(source: FurtherSource) -> JsonValue:
    return [source.ref, source.said, *map(format_time, source.times_ns)]


def _further(values: Any) -> FurtherSource:  # noqa: ANN401 - a JSON value of any shape
    ref, said, *times = values
    *earlier, at_ns = map(time_of, times)
    return FurtherSource(ref_of(ref), at_ns, _text(said), tuple(earlier))


def _edge_json(edge: Replaces) -> JsonValue:
    return {"id": edge.rid, "at": format_time(edge.at_ns), "from": format_time(edge.from_ns)}


def _bytes(body: JsonObject) -> bytes:
    return dumps(body).encode()


def parse_memory(body: bytes, rid: str) -> Memory:
    """Read the file of a memory.

    Raises:
        CorruptRecordError: it is none, or that of another one.
    """
    try:
        memory = _parsed(json.loads(body))
    except _UNREADABLE as error:
        raise CorruptRecordError(f"a stored memory cannot be read memory={rid}") from error
    if memory.rid != rid:
        raise CorruptRecordError(f"a stored memory has another id memory={rid}")
    return memory


def _parsed(fields: Any) -> Memory:  # noqa: ANN401 - a JSON value of any shape
    kind, rid = _one_of(fields["kind"], KINDS), _rid(fields["id"])
    if "gone" in fields or "forgotten" in fields:
        return _parsed_left(fields, rid, kind)
    promoted = fields.get("promoted")
    return Memory(
        rid,
        kind,
        statement=_text(fields.get("statement", "")),
        spec=parse_spec(fields["spec"]) if kind == "pattern" else None,
        subject=_text(fields["subject"]),
        hard=fields["hard"] is True,
        importance=_importance(fields["importance"]),
        pinned=fields["pinned"] is True,
        provenance=_one_of(fields["provenance"], PROVENANCES),
        sources=tuple(map(parse_source, fields["sources"])),
        more=tuple(map(_further, fields["more"])),
        valid_from_ns=_time(fields.get("valid_from")),
        replaces=_edges(fields["supersedes"]),
        outcomes=tuple(
            Outcome(ref_of(ref), _one_of(status, STATUSES), time_of(at))
            for ref, status, at in fields.get("outcomes", ())
        ),
        promoted=(
            None
            if promoted is None
            else Promotion(_text(promoted["name"]), time_of(promoted["at"]))
        ),
        earlier=tuple(
            EarlierSpec(parse_spec(one["spec"]), _text(one["said"]), time_of(one["replaced"]))
            for one in fields.get("earlier", ())
        ),
        write=_text(fields["write"]),
    )


def _parsed_left(fields: Any, rid: str, kind: MemoryKind) -> Memory:  # noqa: ANN401 - the same
    left = Memory(
        rid, kind, once_refs=tuple(map(ref_of, fields["refs"])), write=_text(fields["write"])
    )
    if "gone" in fields:
        return replace(left, gone_ns=time_of(fields["gone"]))
    return replace(
        left,
        forgotten_ns=time_of(fields["forgotten"]),
        once_said_ns=tuple(map(time_of, fields["times"])),
        valid_from_ns=_time(fields.get("valid_from")),
        replaces=_edges(fields["supersedes"]),
    )


def _time(value: Any) -> int | None:  # noqa: ANN401 - a JSON value of any shape
    return None if value is None else time_of(value)


def _edges(values: Any) -> tuple[Replaces, ...]:  # noqa: ANN401 - a JSON value of any shape
    return tuple(
        Replaces(_rid(edge["id"]), time_of(edge["at"]), time_of(edge["from"])) for edge in values
    )


def _rid(value: Any) -> str:  # noqa: ANN401 - a JSON value of any shape
    if not is_rid(_text(value)):
        raise ValueError("an id is none of a memory")
    return _text(value)


def _importance(value: Any) -> int:  # noqa: ANN401 - a JSON value of any shape
    if type(value) is not int:
        raise TypeError("an importance is no number")
    return checked_importance(value)


def _text(value: Any) -> str:  # noqa: ANN401 - a JSON value of any shape
    if not isinstance(value, str):
        raise TypeError("a text is no text")
    return value


def _one_of(value: Any, allowed: tuple[Any, ...]) -> Any:  # noqa: ANN401 - a JSON value of any shape
    if value not in allowed:
        raise ValueError("a word is none of those that it may be")
    return value
