"""How memories are shown: in a line, or with all that is known of one."""

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any, Final

from everturn.cli.output.console import say
from everturn.cli.output.time_zones import shown_time
from everturn.values.timestamps import parse_time
from everturn.values.visible_text import one_line

Json = Mapping[str, Any]
"""A memory as the API gives it. A line break in a text of it would let one line pass for two."""

_DAY_ENDS: Final = "T00:00:00Z"
_LISTS: Final = (
    ("before", "preconditions"), ("step", "steps"), ("gotcha", "gotchas"),
    ("success", "success_criteria"),
)  # fmt: skip


def named(memory: Json) -> str:
    """Return which one it is: kind and id."""
    return f"{one_line(memory['kind'])} {one_line(memory['id'])}"


def counted(memory: Json) -> str:
    """Return of how many sources it comes."""
    return "1 source" if memory["count"] == 1 else f"{memory['count']} sources"


def said(memory: Json) -> str:
    """Return what it says in one line: the statement, or of a pattern what names it."""
    if memory.get("statement"):
        return one_line(memory["statement"])
    spec = memory.get("spec") or {}
    return one_line(spec.get("name") or spec.get("trigger") or "; ".join(spec.get("steps") or []))


def state(memory: Json) -> str:
    """Return what is special about it, in words."""
    marks = {
        "hard": memory["hard"],
        "pinned": memory["pinned"],
        "promoted": memory.get("promoted"),
        "replaced": memory.get("superseded_by"),
    }
    return ", ".join(mark for mark, there in marks.items() if there)


def period(holds: Json, zone: tzinfo) -> str:
    """Return from when and until when it holds, as far as that is known."""
    ends = (("from", holds.get("valid_from")), ("to", holds.get("valid_to")))
    return " ".join(f"{word} {_day(end, zone)}" for word, end in ends if end)


def say_memory(memory: Json, zone: tzinfo) -> None:
    """Show all that is known of one, a line each."""
    for label, value in _lines(memory, zone):
        if value:
            say(f"{label:<11} {value}")


def say_history(history: list[Json], zone: tzinfo) -> None:
    """Show what held when, oldest first; nothing where it was never another."""
    if len(history) > 1:
        say("history")
    for item in history if len(history) > 1 else ():
        what = "(forgotten)" if item.get("forgotten") else said(item)
        parts = (period(item, zone), what, f"({one_line(item['id'])})")
        say("  ".join(["", *(part for part in parts if part)]))


def _lines(memory: Json, zone: tzinfo) -> Iterator[tuple[str, str]]:
    yield "id", one_line(memory["id"])
    yield "kind", one_line(memory["kind"])
    yield "says", said(memory)
    yield from _spec_lines(memory.get("spec") or {})
    yield "subject", one_line(memory.get("subject") or "")
    yield "state", state(memory)
    yield "holds", period(memory, zone)
    yield "importance", str(memory["importance"])
    if memory["kind"] == "pattern":
        yield "strength", f"{memory['strength']:.2f}"
    seen = [_time(memory[name], zone) for name in ("first_seen", "last_seen")]
    yield "seen", " to ".join(dict.fromkeys(seen))
    yield "came from", f"{counted(memory)} ({one_line(memory['provenance'])})"
    for source in memory["sources"]:
        yield "", _source(source, zone)
    yield "replaces", ", ".join(one_line(rid) for rid in memory.get("supersedes") or [])
    yield "replaced by", one_line(memory.get("superseded_by") or "")
    if promoted := memory.get("promoted"):
        yield "promoted", f"{one_line(promoted['name'])}, {_time(promoted['at'], zone)}"


def _spec_lines(spec: Json) -> Iterator[tuple[str, str]]:
    yield "when", one_line(spec.get("trigger") or "") if spec.get("name") else ""
    for label, field in _LISTS:
        for number, item in enumerate(spec.get(field) or [], 1):
            yield f"{label} {number}", one_line(item)


def _source(source: Json, zone: tzinfo) -> str:
    turns = [f"#{source[end]}" for end in ("from", "to") if source.get(end) is not None]
    parts = [
        one_line(source.get("conversation_id") or ""),
        "-".join(dict.fromkeys(turns)),
        _time(source["at"], zone) if source.get("at") else "",
        f'"{one_line(source["quote"])}"' if source.get("quote") else "",
    ]
    return "  ".join(part for part in parts if part)


def _day(rfc3339: str, zone: tzinfo) -> str:
    """Return a time; of a midnight in UTC the day alone, which is how days are written."""
    if rfc3339.endswith(_DAY_ENDS):
        return one_line(rfc3339.removesuffix(_DAY_ENDS))
    return _time(rfc3339, zone)


def _time(rfc3339: str, zone: tzinfo) -> str:
    time_ns = parse_time(rfc3339)
    return one_line(rfc3339) if time_ns is None else shown_time(time_ns, zone)
