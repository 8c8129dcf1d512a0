"""Responses of pages across conversations: recent turns, pairs, and the export as JSON lines."""

from typing import TYPE_CHECKING

from aws_lambda_powertools.event_handler import Response

from everturn.edge.responses.base import PRIVATE, Answer, answer, turn_json
from everturn.values.go_json import JsonObject

if TYPE_CHECKING:
    from everturn.listing.model.recent_items import RecentItem
    from everturn.listing.recent_turns import RecentPage
    from everturn.transfer.export_scope import ExportPage


def turns_read(page: "RecentPage") -> Answer:
    """Answer with turns, each of which names its conversation."""
    return _paged(page, {"turns": [{**turn_json(item.turn), **_of(item)} for item in page.items]})


def pairs_read(page: "RecentPage") -> Answer:
    """Answer with questions and their answers."""
    return _paged(page, {"pairs": [_pair_json(item) for item in page.items]})


def _pair_json(item: "RecentItem") -> JsonObject:
    pair: JsonObject = {
        **_of(item),
        "question": turn_json(item.turn),
        "answers": [turn_json(turn) for turn in item.answers],
    }
    return {**pair, "more_answers": True} if item.is_cut else pair


def _of(item: "RecentItem") -> JsonObject:
    return {"conversation_id": item.conversation_id, "title": item.title}


def _paged(page: "RecentPage", body: JsonObject) -> Answer:
    more: JsonObject = {"next_cursor": page.next_cursor} if page.next_cursor else {}
    return answer({**body, **more, "skipped": page.skipped})


# One JSON value a line. https://github.com/ndjson/ndjson-spec
JSON_LINES = "application/x-ndjson"


def exported(page: "ExportPage") -> Answer:
    """Answer with one page."""
    return Response(
        status_code=200,
        content_type=JSON_LINES,
        headers=dict(PRIVATE),
        body=page.text,
    )
