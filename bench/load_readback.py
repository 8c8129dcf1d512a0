"""Reads back all that the agents may have said, as any client does: by lists, and page by page."""

from collections.abc import Iterable
from typing import Any

import httpx
from load_agents import client_of, headers_of
from load_check import Thread

_PAGE = 1_000


async def read_back(url: str, actors: Iterable[str]) -> dict[Thread, list[str]]:
    """Read the conversations of these users; every text of each by its turn's number.

    Raises:
        httpx.HTTPStatusError: a list or a page is refused.
    """
    async with client_of(url) as client:
        return {
            thread: await _texts(client, thread)
            for actor in sorted(set(actors))
            for thread in await _listed(client, actor)
        }


async def turns_unread(url: str, actors: Iterable[str]) -> int:
    """Count the turns that no worker has consolidated yet."""
    async with client_of(url) as client:
        told = [await _json(client, actor, "/v1/status", {}) for actor in sorted(set(actors))]
    return sum(one["consolidation"].get("pending_turns", 0) for one in told)


async def _listed(client: httpx.AsyncClient, actor: str) -> list[Thread]:
    found: list[Thread] = []
    asked: dict[str, str | int] | None = {"limit": _PAGE}
    while asked is not None:
        page = await _json(client, actor, "/v1/conversations", asked)
        assert not page["skipped"], page["skipped"]
        found += [Thread(actor, row["conversation_id"]) for row in page["conversations"]]
        cursor = page.get("next_cursor")
        asked = {"limit": _PAGE, "cursor": cursor} if cursor else None
    return found


async def _texts(client: httpx.AsyncClient, thread: Thread) -> list[str]:
    path, texts = f"/v1/conversations/{thread.conversation_id}/turns", list[str]()
    start: int | None = 0
    while start is not None:
        page = await _json(client, thread.actor, path, {"from": start, "limit": _PAGE})
        for turn in page["turns"]:
            assert turn["index"] == len(texts), (thread, turn["index"])
            texts.append(turn["text"])
        start = page.get("next")
    assert len(texts) == page["turn_count"], thread
    return texts


async def _json(
    client: httpx.AsyncClient, actor: str, path: str, params: dict[str, str | int]
) -> dict[str, Any]:
    answer = await client.get(path, params=params, headers=headers_of(actor))
    told: dict[str, Any] = answer.raise_for_status().json()
    return told
