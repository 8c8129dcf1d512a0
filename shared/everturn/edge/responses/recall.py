"""The answers of the routes that search: hits, and themes."""

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Final

from everturn.edge.responses.answer_size import Room
from everturn.edge.responses.base import Answer, answer, turn_json
from everturn.recall.index.recall_request import Hit, Recalled, RecallRequest, Searched
from everturn.values.go_json import JsonObject, JsonValue
from everturn.values.timestamps import format_time

if TYPE_CHECKING:
    from everturn.recall.themes.theme import Theme, Themes

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
    return {"searched": said | _times(oldest=searched.oldest_ns)}


def _times(**times_ns: int | None) -> JsonObject:
    return {name: format_time(time) for name, time in times_ns.items() if time is not None}


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
    return {**said, **_times(since=theme.since_ns, until=theme.until_ns), "turns": turns}


def number(value: float) -> float:
    """Return a number as answers show it."""
    return round(float(value), _DECIMALS)
