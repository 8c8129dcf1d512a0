"""One walk through all tools, the same for every transport."""

from mcp import Client

from everturn.client import AsyncEverturn
from integrations.mcp.mcp_sessions import answered


async def every_tool(client: Client, memory: AsyncEverturn) -> None:
    """Call each tool once and more, and look at what is stored by another way."""
    await memory.append_user("c", "Which port? 8080, said Ann.")
    added = await answered(
        client, "add_memory", kind="fact", statement="Ann's port is 8080. 日本語"
    )
    rid = added["memory"]["rid"]
    assert (await memory.get_memory(rid)).memory.statement == "Ann's port is 8080. 日本語"
    found = await answered(client, "search_memory", query="port")
    assert [one["rid"] for one in found["memories"] if "rid" in one] == [rid]
    corrected = await answered(client, "correct_memory", rid=rid, statement="Ann's port is 9090.")
    new = corrected["memory"]["rid"]
    assert (await memory.get_memory(rid)).memory.id == new
    assert (await answered(client, "pin_memory", rid=new))["memory"]["pinned"]
    assert (await memory.get_memory(new)).memory.pinned
    listed = await answered(client, "list_memories")
    assert [one["rid"] for one in listed["memories"]] == [new]
    hits = (await answered(client, "recall_conversation", query="Which port?"))["hits"]
    assert [(hit["conversation_id"], hit["index"]) for hit in hits] == [("c", 0)]
    conversations = (await answered(client, "list_conversations"))["conversations"]
    assert [one["conversation_id"] for one in conversations] == ["c"]
    turns = (await answered(client, "recent_turns", limit=5))["turns"]
    assert [turn["index"] for turn in turns] == [0]
    context = await answered(client, "get_context", query="port", conversation_id="c")
    assert "Ann's port is 9090." in context["text"]
    assert (await answered(client, "forget_memory", rid=new))["complete"]
    assert (await memory.list_memories()).memories == ()
