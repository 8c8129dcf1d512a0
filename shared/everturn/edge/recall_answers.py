"""The answers of the routes that search: hits, and themes.

Not here: errors (edge/answers.py), which turns are hits (everturn.services.recall_turns).
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Final, TypeVar

from everturn.domain.go_json import JsonObject, JsonValue, dumps
from everturn.domain.recall_request import Hit, Recalled, RecallRequest, Searched
from everturn.domain.timestamps import format_time
from everturn.edge.answers import Answer, answer, turn_json
from everturn.services.read_conversation import MAX_ANSWER_BYTES

if TYPE_CHECKING:
    from everturn.domain.theme import Theme, Themes

_DECIMALS: Final = 6
# What surrounds the items of an answer: how far it looked, a reason.
_FRAME_BYTES: Final = 4_096
ANSWER_FULL: Final = "answer_full"
"""The reason of an answer that something was left out of because an answer has a limit."""

Item = TypeVar("Item")


def recalled(found: Recalled, request: RecallRequest) -> Answer:
    """Answer a recall with its hits, best first."""
    hits, whole = _fitting(found.hits, lambda hit: _hit_json(hit, request))
    body: JsonObject = {"hits": hits, "filtered": found.filtered}
    body |= _told(found.reason, degraded=found.degraded, whole=whole)
    if found.over_budget:
        body["over_budget"] = True
    return answer(body if found.searched is None else body | _searched(found.searched))


def themes_found(found: "Themes") -> Answer:
    """Answer with themes, the largest first."""
    themes, whole = _fitting(found.themes, _theme_json)
    body: JsonObject = {"themes": themes, **_searched(found.searched)}
    return answer(body | _told(found.reason, degraded=found.degraded, whole=whole))


def _told(reason: str | None, *, degraded: bool, whole: bool) -> JsonObject:
    said: JsonObject = {"degraded": degraded or not whole}
    reason = reason or (None if whole else ANSWER_FULL)
    return said if reason is None else {**said, "reason": reason}


def _searched(searched: Searched) -> JsonObject:
    said: JsonObject = {
        "conversations": searched.conversations,
        "turns": searched.turns,
        "complete": searched.complete,
    }
    return {"searched": said | _times(oldest=searched.oldest_ns)}


def _times(**times_ns: int | None) -> JsonObject:
    return {name: format_time(time) for name, time in times_ns.items() if time is not None}


def _hit_json(hit: Hit, request: RecallRequest) -> JsonObject:
    body: JsonObject = {**_turn_of(hit), "score": _number(hit.score)}
    if request.neighbours:
        body["neighbours"] = [turn_json(turn) for turn in hit.neighbours]
    return {**body, "explain": _lanes(hit.lanes)} if request.explain else body


def _turn_of(hit: Hit) -> JsonObject:
    return {"conversation_id": hit.conversation_id, **turn_json(hit.turn)}


def _lanes(lanes: Mapping[str, float]) -> JsonObject:
    # JSON knows no NaN; a lane without a number has nothing to say.
    return {name: _number(value) for name, value in lanes.items() if isfinite(value)}


def _theme_json(theme: "Theme") -> JsonObject:
    turns: list[JsonValue] = [_turn_of(hit) for hit in theme.hits]
    said: JsonObject = {"terms": list(theme.terms), "share": _number(theme.share)}
    return {**said, **_times(since=theme.since_ns, until=theme.until_ns), "turns": turns}


def _number(value: float) -> float:
    return round(float(value), _DECIMALS)


def _fitting(
    items: Sequence[Item], encode: Callable[[Item], JsonObject]
) -> tuple[list[JsonValue], bool]:
    """Return the items that fit into one answer, and whether all do; one too large is left out.

    A turn may carry a framework's own message of a mebibyte beside a text of one word.
    """
    left = MAX_ANSWER_BYTES - _FRAME_BYTES
    taken: list[JsonValue] = []
    for body in map(encode, items):
        size = len(dumps(body).encode()) + 1
        if size <= left:
            taken.append(body)
            left -= size
    return taken, len(taken) == len(items)
