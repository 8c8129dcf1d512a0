"""Search and retrieval responses: hits, themes, snippets, pinned blocks, procedures, contexts."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Final

from everturn.edge.responses.base import Answer, Room, answer, times_json, turn_json
from everturn.recall.index.recall_request import Hit, Recalled, RecallRequest, Searched
from everturn.values.go_json import JsonObject, JsonValue

if TYPE_CHECKING:
    from everturn.memory.model.memory import Memory
    from everturn.memory.model.retrieve_request import Retrieved, RetrieveRequest, Snippet
    from everturn.prompts.context_block import BuiltContext
    from everturn.prompts.find_procedures import Procedure
    from everturn.prompts.pinned_block import PinnedBlock
    from everturn.recall.themes.find_themes import Theme, Themes

_DECIMALS: Final = 6


def recalled(found: Recalled, request: RecallRequest) -> Answer:
    """Answer a recall with its hits, best first."""
    room = Room()
    hits = room.fit(found.hits, lambda hit: _asked_hit(hit, request))
    body: JsonObject = {"hits": hits, "filtered": found.filtered}
    body |= room.told(found.reason, degraded=found.degraded)
    if found.over_budget:
        body["over_budget"] = True
    return answer(body if found.searched is None else body | _searched(found.searched))


def themes_found(found: "Themes") -> Answer:
    """Answer with themes, the largest first."""
    room = Room()
    themes = room.fit(found.themes, _theme_json)
    body: JsonObject = {"themes": themes, **_searched(found.searched)}
    return answer(body | room.told(found.reason, degraded=found.degraded))


def _searched(searched: Searched) -> JsonObject:
    said: JsonObject = {
        "conversations": searched.conversations,
        "turns": searched.turns,
        "complete": searched.complete,
    }
    return {"searched": said | times_json(oldest=searched.oldest_ns)}


def hit_json(hit: Hit) -> JsonObject:
    """Return a hit with its score."""
    return {**_turn_of(hit), "score": number(hit.score)}


def _asked_hit(hit: Hit, request: RecallRequest) -> JsonObject:
    body = hit_json(hit)
    if request.neighbours:
        body["neighbours"] = [turn_json(turn) for turn in hit.neighbours]
    return {**body, "explain": lanes_json(hit.lanes)} if request.explain else body


def _turn_of(hit: Hit) -> JsonObject:
    return {"conversation_id": hit.conversation_id, **turn_json(hit.turn)}


def lanes_json(lanes: Mapping[str, float]) -> JsonObject:
    """Return what each lane gave."""
    # JSON knows no NaN; a lane without a number has nothing to say.
    return {name: number(value) for name, value in lanes.items() if isfinite(value)}


def _theme_json(theme: "Theme") -> JsonObject:
    turns: list[JsonValue] = [_turn_of(hit) for hit in theme.hits]
    said: JsonObject = {"terms": list(theme.terms), "share": number(theme.share)}
    return {**said, **times_json(since=theme.since_ns, until=theme.until_ns), "turns": turns}


def number(value: float) -> float:
    """Return a number as answers show it."""
    return round(float(value), _DECIMALS)


def retrieved(found: "Retrieved", request: "RetrieveRequest") -> Answer:
    """Answer a retrieval with its snippets, best first."""
    room = Room()
    explain = request.explain
    body: JsonObject = {
        "snippets": room.fit(found.snippets, lambda one: _snippet_json(one, explain=explain)),
        "pending_turns": found.pending_turns,
        "filtered": found.filtered,
    }
    body |= room.told(found.reason, degraded=found.degraded)
    return answer({**body, "over_budget": True} if found.over_budget else body)


def pinned(block: "PinnedBlock", reason: str | None) -> Answer:
    """Answer with a pinned block; a reason says that a memory may be missing in it."""
    body: JsonObject = {
        "text": block.text,
        "tokens": block.tokens,
        "parts": _pinned_json(block),
        "cut": block.cut,
    }
    return answer(body if reason is None else {**body, "degraded": True, "reason": reason})


def procedures_found(found: "Sequence[Procedure]") -> Answer:
    """Answer with proven patterns, the strongest first."""
    return answer({"patterns": Room().fit(found, lambda one: _pattern_json(one.memory, one.text))})


def context_built(built: "BuiltContext") -> Answer:
    """Answer with a context: its text, and what stands in it, part by part."""
    # The text holds all of it; a turn may carry a framework's own message beside.
    room = Room(built.text + built.pinned.text)
    parts: JsonObject = {
        "pinned": _pinned_json(built.pinned),
        "memories": room.fit(built.memories, _snippet_json),
        "patterns": room.fit(built.patterns, lambda one: _pattern_json(one, one.text)),
        "recalled": room.fit(built.recalled, hit_json),
        "recent": room.fit(built.recent, turn_json),
    }
    body: JsonObject = {
        "text": built.text,
        "tokens": built.tokens,
        "parts": parts,
        "pending_turns": built.pending_turns,
    }
    return answer(body | room.told(built.reason, degraded=built.degraded))


def _snippet_json(snippet: "Snippet", *, explain: bool = False) -> JsonObject:
    body: JsonObject = {
        "text": snippet.text,
        "uri": snippet.uri,
        "kind": snippet.kind,
        "score": number(snippet.score),
    }
    return {**body, "explain": lanes_json(snippet.lanes)} if explain else body


def _pinned_json(block: "PinnedBlock") -> JsonObject:
    return {name: list(lines) for name, lines in block.parts.items()}


def _pattern_json(memory: "Memory", text: str) -> JsonObject:
    spec: JsonValue = memory.spec.to_json() if memory.spec else {}
    return {
        "spec": spec,
        "confidence": memory.strength,
        "coverage": memory.count,
        "uri": memory.uri,
        "text": text,
    }
