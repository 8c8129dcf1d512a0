"""What the commands of long-term memory need of the API's answers."""

from everturn.cli.target.answer_shapes import Shape

_NUMBER = (int, float)
_SPEC: Shape = {
    "name?": str,
    "trigger?": str,
    "preconditions?": [str],
    "steps?": [str],
    "gotchas?": [str],
    "success_criteria?": [str],
}
_SAID: Shape = {"statement?": str, "spec?": _SPEC}
_SOURCE: Shape = {"at?": str, "conversation_id?": str, "from?": int, "to?": int, "quote?": str}
_MEMORY: Shape = {
    **_SAID,
    "id": str,
    "uri": str,
    "kind": str,
    "subject?": str,
    "hard": bool,
    "importance": int,
    "count": int,
    "strength": _NUMBER,
    "sources": [_SOURCE],
    "first_seen": str,
    "last_seen": str,
    "valid_from?": str,
    "valid_to?": str,
    "supersedes?": [str],
    "superseded_by?": str,
    "pinned": bool,
    "provenance": str,
    "promoted?": {"name": str, "at": str},
}
_PERIOD: Shape = {
    **_SAID,
    "id": str,
    "valid_from?": str,
    "valid_to?": str,
    "forgotten?": object,
}
_DEGRADED: Shape = {"degraded": bool, "reason?": str}

REMEMBERED: Shape = {"memory": _MEMORY, "created": bool}
CHANGED: Shape = {"memory": _MEMORY, "superseded?": str}
PROMOTED: Shape = {"memory": _MEMORY, "name": str, "files": {}}
MEMORIES: Shape = {
    "memories": [_MEMORY],
    "skipped": int,
    "next_cursor?": str,
    "pending?": int,
}
HISTORY: Shape = {"memory": _MEMORY, "history": [_PERIOD]}
SNIPPETS: Shape = {
    **_DEGRADED,
    "snippets": [{"text": str, "uri": str, "kind": str, "score": _NUMBER, "explain?": {}}],
    "pending_turns": int,
    "filtered": int,
    "over_budget?": bool,
}
_PINNED_PARTS: Shape = {
    "identity": [str],
    "rules": [str],
    "constraints": [str],
    "profile": [str],
    "goal": [str],
}
PINNED: Shape = {
    "text": str,
    "tokens": int,
    "parts": _PINNED_PARTS,
    "cut": int,
    "degraded?": bool,
    "reason?": str,
}
PATTERNS: Shape = {
    "patterns": [{"spec": _SPEC, "confidence": _NUMBER, "coverage": int, "uri": str, "text": str}]
}
CONTEXT: Shape = {
    **_DEGRADED,
    "text": str,
    "tokens": int,
    "parts": {
        "pinned": _PINNED_PARTS,
        "memories": [object],
        "patterns": [object],
        "recalled": [object],
        "recent": [object],
    },
    "pending_turns": int,
}
