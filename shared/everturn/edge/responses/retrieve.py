"""The answers of retrieval: snippets, pinned blocks, procedures, contexts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everturn.edge.responses.answer_size import Room
from everturn.edge.responses.base import Answer, answer, turn_json
from everturn.edge.responses.recall import hit_json, lanes_json, number
from everturn.memory.model.memory import Memory
from everturn.memory.model.retrieve_request import Retrieved, RetrieveRequest, Snippet
from everturn.prompts.context_request import BuiltContext
from everturn.prompts.pinned_block import PinnedBlock
from everturn.values.go_json import JsonObject, JsonValue

if TYPE_CHECKING:
    from everturn.prompts.find_procedures import Procedure


def retrieved(found: Retrieved, request: RetrieveRequest) -> Answer:
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


def pinned(block: PinnedBlock, reason: str | None) -> Answer:
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


def context_built(built: BuiltContext) -> Answer:
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


def _snippet_json(snippet: Snippet, *, explain: bool = False) -> JsonObject:
    body: JsonObject = {
        "text": snippet.text,
        "uri": snippet.uri,
        "kind": snippet.kind,
        "score": number(snippet.score),
    }
    return {**body, "explain": lanes_json(snippet.lanes)} if explain else body


def _pinned_json(block: PinnedBlock) -> JsonObject:
    return {name: list(lines) for name, lines in block.parts.items()}


def _pattern_json(memory: Memory, text: str) -> JsonObject:
    spec: JsonValue = memory.spec.to_json() if memory.spec else {}
    return {
        "spec": spec,
        "confidence": memory.strength,
        "coverage": memory.count,
        "uri": memory.uri,
        "text": text,
    }
