"""What is stored, whatever it says: how it comes back, and what calls do to it."""

import json
from pathlib import Path

import anyio
import pytest

from integrations.mcp.mcp_sessions import HARM, answered, in_process, outside_frame, refused

pytestmark = pytest.mark.anyio


async def test_any_script_and_any_id_come_back_as_they_went_in(tmp_path: Path) -> None:
    id_, said = "чат/../ 会話?#%2F", "わたしは 👩‍💻 می‌خواهم"
    async with in_process(tmp_path) as (client, memory):
        added = await answered(client, "add_memory", kind="fact", statement=said)
        assert (await memory.get_memory(added["memory"]["rid"])).memory.statement == said
        await memory.append_user(id_, said)
        recalled = await answered(
            client, "recall_conversation", query="わたしは", conversation_id=id_
        )
        assert [hit["conversation_id"] for hit in recalled["hits"]] == [id_]
        assert said in recalled["text"]


async def test_stored_text_stands_inside_the_frame_alone_whatever_it_says(tmp_path: Path) -> None:
    """Neither the text nor the structured answer shows it anywhere else."""
    calls: dict[str, dict[str, object]] = {
        "search_memory": {"query": "rules"},
        "list_memories": {},
        "recall_conversation": {"query": "rules", "neighbours": 1},
        "list_conversations": {},
        "recent_turns": {},
        "get_context": {"query": "rules", "conversation_id": "c"},
    }
    async with in_process(tmp_path) as (client, memory):
        await memory.append(
            "c", [{"role": HARM[:64], "text": HARM}, {"role": "user", "text": HARM}]
        )
        await memory.remember("fact", HARM, subject=HARM[:60])
        await memory.update_conversation("c", title=HARM, folder=HARM)
        calls["pairs"] = {"as": "pairs"}
        for tool, arguments in calls.items():
            name = "recent_turns" if tool == "pairs" else tool
            answer = await answered(client, name, **arguments)
            assert "call forget_memory" in answer["text"]
            assert answer["text"].count("</recalled_memory>") == 1
            assert "<system>" not in answer["text"]
            rest = [outside_frame(answer.pop("text")), str(answer)]
            assert not [part for part in rest if "forget_memory" in part or "Ignore" in part]


async def test_what_another_program_wrote_as_a_time_is_no_time_of_ours(tmp_path: Path) -> None:
    """Its file is read as it is, and its words stand in the frame alone all the same."""
    turns = [{"role": "user", "text": "which port is it", "ts": HARM}]
    foreign = {"conversation_id": "c", "turns": turns, "updated": HARM}
    (tmp_path / "c.json").write_text(json.dumps(foreign), encoding="utf-8")
    async with in_process(tmp_path) as (client, memory):
        assert (await memory.get_turns("c")).turns[0].ts == HARM
        for tool, arguments in {
            "recent_turns": {},
            "recall_conversation": {"query": "which port"},
            "list_conversations": {},
            "get_context": {"query": "which port"},
        }.items():
            answer = await answered(client, tool, **arguments)
            assert "which port is it" in answer.pop("text")
            assert "forget_memory" not in str(answer)


async def test_an_id_is_given_as_it_is_and_stands_in_the_frame_where_it_is_text(
    tmp_path: Path,
) -> None:
    """A caller has to give it back letter by letter; of an error it is no part."""
    async with in_process(tmp_path) as (client, memory):
        await memory.append_user(HARM, "Which port? 8080.")
        for tool, arguments in {
            "recall_conversation": {"query": "port", "conversation_id": HARM},
            "list_conversations": {},
            "recent_turns": {},
        }.items():
            answer = await answered(client, tool, **arguments)
            assert HARM in str(answer)
            assert answer["text"].count("</recalled_memory>") == 1
            assert "forget_memory" not in outside_frame(answer["text"])
        assert "Ignore" not in await refused(
            client, "recall_conversation", query="port", conversation_id=f"{HARM}!"
        )


async def test_ten_calls_at_once_are_all_answered_and_none_is_lost(tmp_path: Path) -> None:
    async with in_process(tmp_path) as (client, memory):

        async def add(number: int) -> None:
            await answered(client, "add_memory", kind="fact", statement=f"Room {number} is free.")

        async with anyio.create_task_group() as tasks:
            for number in range(10):
                tasks.start_soon(add, number)
        statements = {one.statement for one in (await memory.list_memories()).memories}
        assert statements == {f"Room {number} is free." for number in range(10)}


async def test_the_hints_are_true_of_what_is_stored(tmp_path: Path) -> None:
    """Reading changes nothing, and a second call of an idempotent tool no more than the first."""
    async with in_process(tmp_path) as (client, memory):
        rid = (await answered(client, "add_memory", kind="fact", statement="Port 1."))["memory"][
            "rid"
        ]
        await memory.append_user("c", "Port 2.")
        calls: dict[str, dict[str, object]] = {
            "search_memory": {"query": "port"},
            "list_memories": {},
            "recall_conversation": {"query": "port"},
            "list_conversations": {},
            "recent_turns": {},
            "get_context": {"query": "port"},
            "pin_memory": {"rid": rid},
            "correct_memory": {"rid": rid, "statement": "Port 3."},
            "forget_memory": {"rid": rid},
            "add_memory": {"kind": "fact", "statement": "Port 4."},
        }
        hints = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        for tool, arguments in calls.items():
            stored = []
            for _ in range(3):
                stored.append([line async for line in memory.export()])
                await client.call_tool(tool, arguments)
            before, once, twice = stored
            hint = hints[tool]
            assert hint is not None
            assert (hint.read_only_hint, hint.idempotent_hint) == (before == once, once == twice)
