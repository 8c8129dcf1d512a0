"""What the commands need of the API's answers: their shapes, and whether an answer has one.

Whatever answers at a URL may be no Everturn at all.
"""

from typing import Any

Shape = Any
"""A type, or several; a list of one shape; a mapping of shapes by name, in which `?` ends an
optional name."""

_TURN: Shape = {"index": int, "role": str, "text": str, "name?": str, "ts?": str}

ANY_OBJECT: Shape = {}
TURNS: Shape = {"turns": [_TURN], "turn_count": int, "next?": int}
RECENT: Shape = {
    "turns": [{**_TURN, "conversation_id": str, "title": str}],
    "skipped": int,
    "next_cursor?": str,
}
PAIRS: Shape = {
    "pairs": [{"conversation_id": str, "title": str, "question": _TURN, "answers": [_TURN]}],
    "skipped": int,
    "next_cursor?": str,
}
_FOUND_TURN: Shape = {**_TURN, "conversation_id": str}
_SEARCHED: Shape = {"conversations": int, "turns": int, "complete": bool, "oldest?": str}
FOUND: Shape = {
    "hits": [{**_FOUND_TURN, "score": (int, float), "neighbours?": [_TURN], "explain?": {}}],
    "filtered": int,
    "degraded": bool,
    "reason?": str,
    "over_budget?": bool,
    "searched?": _SEARCHED,
}
THEMES: Shape = {
    "themes": [
        {
            "terms": [str],
            "share": (int, float),
            "turns": [_FOUND_TURN],
            "since?": str,
            "until?": str,
        }
    ],
    "searched": _SEARCHED,
    "degraded": bool,
    "reason?": str,
}
STATUS: Shape = {
    "backends": {
        "store": str,
        "derived": str,
        "embedder": {
            "name": str,
            "model": str,
            "dimensions": int,
            "semantic": bool,
            "reason": str,
            "tried": [{"name": str, "reason": str}],
        },
    },
    "consolidation?": {
        "queue": str,
        "extractor": str,
        "complete?": bool,
        "depth?": int,
        "in_flight?": int,
        "oldest?": str,
        "dead?": int,
        "pending?": int,
        "pending_turns?": int,
        "quarantined?": int,
        "last_success?": str,
    },
}
QUEUED: Shape = {"queued": bool, "reason?": str}
LISTING: Shape = {
    "conversations": [
        {
            "conversation_id": str,
            "title": str,
            "turn_count": int,
            "updated": str,
            "preview": str,
        }
    ],
    "skipped": int,
    "next_cursor?": str,
}
APPENDED: Shape = {
    "conversation_id": str,
    "appended": int,
    "replayed": bool,
    "turn_count": int,
    "clamped": int,
    "ignored": int,
}
RECEIPT: Shape = {"deleted": {}, "complete": bool, "noncurrent_versions?": {"gone": str}}
EDITED: Shape = {
    "conversation_id": str,
    "turn_count": int,
    "complete": bool,
    "noncurrent_versions?": {"gone": str},
}
DOCUMENT: Shape = {"value": object}
CONVERSATION: Shape = {"conversation_id": str, "title": str, "updated": str}
RECORD: Shape = {"conversation_id": str}


def has_shape(value: object, shape: Shape) -> bool:
    """Say whether a value has at least what a shape names; null stands for an optional field."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            _field_has_shape(value, name, wanted) for name, wanted in shape.items()
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(item, shape[0]) for item in value)
    return isinstance(value, shape)


def _field_has_shape(value: dict[str, object], name: str, shape: Shape) -> bool:
    if name.endswith("?"):
        found = value.get(name.removesuffix("?"))
        return found is None or has_shape(found, shape)
    return name in value and has_shape(value[name], shape)
