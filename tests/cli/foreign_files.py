"""What other programs write, small: an export of ChatGPT, one of Claude, events of AgentCore."""

from typing import Any, Final

from hypothesis import strategies as st

Json = dict[str, Any]

ANY_JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def chatgpt_node(id_: str, parent: str | None, role: str, said: str, **more: object) -> Json:
    """Return one node of a mapping; `more` goes into its message."""
    message: Json = {
        "id": id_,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": None,
        "content": {"content_type": "text", "parts": [said]},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
    }
    return {"id": id_, "parent": parent, "children": [], "message": message | more}


def chatgpt_export(**more: object) -> Json:
    """Return a conversation with a root, an unseen prompt, a question, and two answers."""
    nodes = [
        {"id": "root", "parent": None, "children": ["s"], "message": None},
        chatgpt_node("s", "root", "system", ""),
        chatgpt_node("q", "s", "user", "Where is gate B12?", create_time=1736209412.345),
        chatgpt_node("old", "q", "assistant", "I do not know.", create_time=1736209413.0),
        chatgpt_node("new", "q", "assistant", "In terminal 1.", create_time=1736209420.5),
    ]
    return {
        "title": "Gates",
        "create_time": 1736209400,
        "conversation_id": "8f3a2b1c-1111",
        "id": "8f3a2b1c-1111",
        "current_node": "new",
        "is_archived": False,
        "mapping": {node["id"]: node for node in nodes},
    } | more


def claude_message(id_: str, sender: str, said: str, **more: object) -> Json:
    """Return one message of an export of Claude."""
    return {
        "uuid": id_,
        "sender": sender,
        "text": said,
        "content": [{"type": "text", "text": said, "citations": []}],
        "created_at": f"2025-03-04T05:06:0{len(id_)}.123456Z",
        "updated_at": "2025-03-04T05:06:07.123456Z",
        "attachments": [],
        "files": [],
    } | more


def claude_export(*messages: Json, **more: object) -> Json:
    """Return a conversation of an export of Claude; with a question and an answer if not given."""
    said = messages or (
        claude_message("a", "human", "Hello, Claude"),
        claude_message("bb", "assistant", "Hello! What shall we do?"),
    )
    return {
        "uuid": "c1a0de00-2222",
        "name": "Greetings",
        "summary": "",
        "created_at": "2025-03-04T05:06:00.000000Z",
        "updated_at": "2025-03-04T05:07:00.000000Z",
        "account": {"uuid": "x"},
        "chat_messages": list(said),
    } | more


def event(number: int, *payload: Json, **more: object) -> Json:
    """Return an event of AgentCore Memory; a later one has a higher number."""
    return {
        "memoryId": "mem-0123456789",
        "actorId": "dana",
        "sessionId": "s1",
        "eventId": f"000000175614715400{number}#ffa53e54",
        "eventTimestamp": f"2025-08-25T15:12:3{number}+00:00",
        "payload": list(payload),
    } | more


def said(role: str, text: str) -> Json:
    """Return a message as a payload holds it."""
    return {"conversational": {"role": role, "content": {"text": text}}}


@st.composite
def broken(draw: st.DrawFn, value: object) -> object:
    """Draw a value like this one in which something is another JSON value, or missing."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        name = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 5)) == 0:
            return {key: inner for key, inner in value.items() if key != name}
        return value | {name: draw(broken(value[name]))}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], draw(broken(value[at])), *value[at + 1 :]]
    return draw(ANY_JSON)
