"""Exports of a world, page by page, and what a reader makes of the lines."""

import json
from typing import Any

from everturn.documents.read_write import put_document
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore
from everturn.transfer.export_scope import ExportPage, export_scope
from scenarios.process import CONVERSATION
from scenarios.world import World

Line = dict[str, Any]


def page_of(
    world: World,
    cursor: str | None = None,
    *,
    limit: int | None = None,
    store: ObjectStore | None = None,
    clock: Clock | None = None,
) -> ExportPage:
    return export_scope(
        store=store or world.data, clock=clock or world.clock, scope=world.scope, cursor=cursor,
        limit=limit,
    )  # fmt: skip


def lines_of(page: ExportPage) -> list[Line]:
    return [json.loads(line) for line in page.lines]


def walked(
    world: World, *, limit: int | None = None, store: ObjectStore | None = None
) -> list[Line]:
    page = page_of(world, limit=limit, store=store)
    lines = lines_of(page)
    while page.next_cursor is not None:
        assert json.loads(page.text.splitlines()[-1]) == {"next_cursor": page.next_cursor}
        page = page_of(world, page.next_cursor, limit=limit, store=store)
        lines += lines_of(page)
    return lines


def put_document_of(world: World, space: str, key: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    put_document(
        store=world.data, clock=world.clock, entropy=world.entropy, scope=world.scope,
        space=space, key=key, value=value,
    )  # fmt: skip


def texts_of(lines: list[Line], conversation_id: str = CONVERSATION) -> list[str]:
    """The texts of a conversation as a reader puts its lines together."""
    texts: list[str] = []
    for line in lines:
        if line.get("conversation_id") == conversation_id:
            first = line.get("first_turn", 0)
            assert first in {0, len(texts)}
            texts = texts[:first] + [turn["text"] for turn in line["turns"]]
    return texts
