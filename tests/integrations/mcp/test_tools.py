"""Every tool through a real MCP client: what it answers, and what is stored afterwards."""

from pathlib import Path

import pytest

from everturn.errors import NotFoundError
from integrations.mcp.mcp_sessions import answered, in_process, outside_frame

pytestmark = pytest.mark.anyio

ERAS = ["legacy", "2026-07-28"]
"""Clients that begin by a handshake, and those that do not."""


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_added_is_found_listed_corrected_pinned_and_forgotten(
    tmp_path: Path, era: str
) -> None:
    async with in_process(tmp_path, mode=era) as (client, memory):
        added = await answered(
            client, "add_memory", kind="fact", statement="The server listens on port 8080."
        )
        rid = added["memory"]["rid"]
        assert (added["created"], added["text"]) == (True, f"Remembered: fact {rid}")
        assert (await memory.get_memory(rid)).memory.statement == "The server listens on port 8080."

        found = await answered(client, "search_memory", query="which port does the server use")
        assert [one["rid"] for one in found["memories"]] == [rid]
        assert f"- fact {rid} score=" in found["text"]
        assert "The server listens on port 8080." in found["text"]

        corrected = await answered(
            client, "correct_memory", rid=rid, statement="The server listens on port 9090."
        )
        new = corrected["memory"]["rid"]
        assert corrected["superseded"] == rid != new
        assert [m.id for m in (await memory.list_memories()).memories] == [new]

        pinned = await answered(client, "pin_memory", rid=f"everturn://memory/fact/{new}")
        assert pinned["text"] == f"Pinned: fact {new}"
        assert (await memory.get_memory(new)).memory.pinned
        loose = await answered(client, "pin_memory", rid=new, pinned=False)
        assert not loose["memory"]["pinned"]

        listed = await answered(client, "list_memories", kind="fact")
        assert [one["rid"] for one in listed["memories"]] == [new]
        assert "port 9090" in listed["text"]
        assert "8080" not in listed["text"]

        gone = await answered(client, "forget_memory", rid=new)
        assert gone["complete"]
        with pytest.raises(NotFoundError):
            await memory.get_memory(new)
        assert (await answered(client, "search_memory", query="port"))["memories"] == []


async def test_what_is_known_already_is_reinforced_and_not_doubled(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):
        for expected in (True, False):
            added = await answered(client, "add_memory", kind="preference", statement="Likes tea.")
            assert added["created"] is expected
        (only,) = (await memory.list_memories()).memories
        assert only.count == 2


async def test_a_pattern_is_added_by_its_parts_even_as_json_inside_a_string(tmp_path: Path) -> None:
    """Some clients send an object as a string."""
    spec = '{"name": "Restart", "trigger": "it hangs", "steps": ["drain it", "restart it"]}'
    async with in_process(tmp_path) as (client, memory):
        added = await answered(client, "add_memory", kind="pattern", spec=spec)
        stored = (await memory.get_memory(added["memory"]["rid"])).memory.spec
        assert stored is not None
        assert stored.steps == ("drain it", "restart it")
        listed = await answered(client, "list_memories")
        assert "steps: 1. drain it; 2. restart it" in listed["text"]


async def test_a_memory_goes_with_the_turns_that_it_names_as_its_source(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):
        await memory.append_user("c", "I moved to Vaduz.")
        await answered(
            client,
            "add_memory",
            kind="fact",
            statement="The user lives in Vaduz.",
            source={"conversation_id": "c", "from": 0, "to": 0, "quote": "I moved to Vaduz"},
        )
        await memory.delete_conversation("c")
        assert (await memory.list_memories()).memories == ()


@pytest.mark.parametrize("era", ERAS)
async def test_what_was_said_is_recalled_word_for_word(tmp_path: Path, era: str) -> None:
    said = "The staging port is 8443:\n    if a < b:\n        List<int>"
    async with in_process(tmp_path, mode=era) as (client, memory):
        await memory.append_user("one", said)
        await memory.append_assistant("one", "Noted.")
        await memory.append_user("two", "Something about bicycles.")
        everywhere = await answered(client, "recall_conversation", query="staging port")
        assert [(h["conversation_id"], h["index"]) for h in everywhere["hits"]][:1] == [("one", 0)]
        assert "    if a < b:\n            List<int>" in everywhere["text"]
        there = await answered(
            client, "recall_conversation", query="port", conversation_id="one", neighbours=1
        )
        assert there["text"].index("#0") < there["text"].index("Noted.")
        none = await answered(
            client,
            "recall_conversation",
            query="staging port",
            conversation_id="two",
            min_score=0.1,
        )
        assert none["hits"] == []


async def test_conversations_are_listed_newest_first(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):
        for name in ("a", "b"):
            await memory.append_user(name, f"about {name}")
        await memory.update_conversation("a", archived=True, folder="old")
        listed = await answered(client, "list_conversations")
        rows = [(one["conversation_id"], one["archived"]) for one in listed["conversations"]]
        assert rows == [("b", False), ("a", True)]
        assert '"a" ' in listed["text"]
        assert " folder=old archived: about a | about a" in listed["text"]
        await memory.append_assistant("b", "the newest words")
        for words, found in (("ABOUT B", ["b"]), ("newest", [])):
            named = await answered(client, "list_conversations", q=words)
            assert [one["conversation_id"] for one in named["conversations"]] == found
        kept = await answered(client, "list_conversations", archived=True, folder="old", q="about")
        assert [one["conversation_id"] for one in kept["conversations"]] == ["a"]


@pytest.mark.parametrize("era", ERAS)
async def test_recent_turns_come_in_a_window_as_turns_or_pairs(tmp_path: Path, era: str) -> None:
    async with in_process(tmp_path, mode=era) as (client, memory):
        await memory.append_user("c", "old question", ts="2026-01-01T10:00:00Z")
        await memory.append_user("c", "what now?", ts="2026-03-02T10:00:00Z")
        await memory.append_assistant("c", "this", ts="2026-03-02T10:01:00Z")
        # A plain date is its midnight in UTC.
        window = {"since": "2026-03-02T00:00:00+00:00", "until": "2026-03-03"}
        turns = await answered(client, "recent_turns", **window)
        assert [turn["index"] for turn in turns["turns"]] == [2, 1]
        assert "pairs" not in turns
        assert '- "c" #1 2026-03-02T10:00:00Z user (old question): what now?' in turns["text"]
        pairs = await answered(client, "recent_turns", **window, **{"as": "pairs"})
        assert pairs["pairs"] == [
            {"conversation_id": "c", "question": 1, "answers": [2], "more_answers": False}
        ]
        assert pairs["text"].index("what now?") < pairs["text"].index(": this")
        mine = await answered(client, "recent_turns", roles=["assistant"])
        assert [turn["index"] for turn in mine["turns"]] == [2]


async def test_a_long_turn_is_cut_where_nobody_asked_for_its_words(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):
        await memory.append_user("c", "kettle " + "x" * 5_000)
        recent = await answered(client, "recent_turns")
        assert " … [3007 more characters]" in recent["text"]
        recalled = await answered(client, "recall_conversation", query="kettle")
        assert "x" * 5_000 in recalled["text"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_context_holds_all_that_is_known_in_one_frame(tmp_path: Path, era: str) -> None:
    async with in_process(tmp_path, mode=era) as (client, memory):
        known = await memory.remember("preference", "The user prefers tea.", subject="user")
        await memory.append_user("c", "The kettle is broken.")
        context = await answered(
            client, "get_context", query="tea kettle", goal="a drink", conversation_id="c"
        )
        assert "The user prefers tea." in context["text"]
        assert "The kettle is broken." in context["text"]
        assert "Goal:\n- a drink" in context["text"]
        assert known.memory is not None
        assert context["tokens"] > 0
        small = await answered(client, "get_context", query="tea", budget_tokens=1)
        assert small["text"].startswith("Nothing is known yet.")


async def test_a_walk_by_cursors_shows_each_of_a_long_list_once(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):
        for number in range(25):
            await memory.remember("fact", f"Shelf {number} holds box {number}.")
        rids: list[str] = []
        cursor: dict[str, str] = {}
        pages = 0
        while True:
            page = await answered(client, "list_memories", limit=10, **cursor)
            rids += [one["rid"] for one in page["memories"]]
            pages += 1
            if "next_cursor" not in page:
                break
            cursor = {"cursor": page["next_cursor"]}
            assert f"cursor={page['next_cursor']}" in outside_frame(page["text"])
        assert (pages, len(rids), len(set(rids))) == (3, 25, 25)
        # More than there can be on a page is no mistake.
        assert len((await answered(client, "list_memories", limit=999_999))["memories"]) == 25
