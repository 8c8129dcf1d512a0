"""Items of the OpenAI Agents SDK: what users say, what models answer, what tools give back."""

from collections.abc import Iterable
from typing import Any, Final, cast

from agents.items import TResponseInputItem

Fields = dict[str, Any]


def item(**fields: Any) -> TResponseInputItem:  # noqa: ANN401  # fields of any kind
    """Return an item of any kind."""
    return cast("TResponseInputItem", fields)


def user(text: str) -> TResponseInputItem:
    return item(role="user", content=text)


def assistant(text: str) -> TResponseInputItem:
    """Return an answer as a model gives it and a run stores it."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return item(id="msg_1", type="message", role="assistant", status="completed", content=[part])


def texts(items: Iterable[TResponseInputItem]) -> list[Any]:
    """Return what messages say; None for what is no message."""
    return [cast("Fields", one).get("content") for one in items]


CALL: Final = item(
    type="function_call", id="fc_1", call_id="call_1", name="weather", arguments='{"city":"Ulm"}'
)
OUTPUT: Final = item(type="function_call_output", call_id="call_1", output="14 degrees in Ulm")
REASONING: Final = item(
    type="reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "Ulm is a city"}]
)

# Each with the role and the text that its turn is to have.
TABLE: Final[tuple[tuple[TResponseInputItem, str, str], ...]] = (
    (user("Where is Ulm?"), "user", "Where is Ulm?"),
    (item(type="message", role="developer", content="Be brief"), "system", "Be brief"),
    (item(role="system", content="Be kind"), "system", "Be kind"),
    (
        item(
            role="user",
            content=[
                {"type": "input_text", "text": "What is this?"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
                {"type": "input_text", "text": "A church?"},
            ],
        ),
        "user",
        "What is this?\nA church?",
    ),
    (assistant("On the Danube \U0001f30a"), "assistant", "On the Danube \U0001f30a"),
    (
        item(type="message", role="assistant", content=[{"type": "refusal", "refusal": "No."}]),
        "assistant",
        "No.",
    ),
    (REASONING, "assistant", ""),
    (CALL, "assistant", 'weather {"city":"Ulm"}'),
    (OUTPUT, "tool", "14 degrees in Ulm"),
    (
        item(
            type="function_call_output",
            call_id="call_2",
            output=[
                {"type": "input_text", "text": "a map"},
                {"type": "input_image", "image_url": "https://example.com/map.png"},
            ],
        ),
        "tool",
        "a map",
    ),
    (
        item(type="function_call", call_id="call_3", name="transfer_to_geographer", arguments=""),
        "assistant",
        "transfer_to_geographer",
    ),
    (
        item(type="web_search_call", action={"query": "Ulm"}),
        "assistant",
        'web_search {"query": "Ulm"}',
    ),
    (
        item(type="shell_call", call_id="call_4", action={"commands": ["ls"]}),
        "assistant",
        'shell {"commands": ["ls"]}',
    ),
    (
        item(
            type="shell_call_output",
            call_id="call_4",
            output=[{"stdout": "a.txt", "stderr": "denied", "outcome": {"type": "exit"}}],
        ),
        "tool",
        "a.txt\ndenied",
    ),
    (item(type="program_output", call_id="call_5", result="done"), "tool", "done"),
    (
        item(type="computer_call_output", call_id="call_6", output={"type": "computer_screenshot"}),
        "tool",
        "",
    ),
    (
        item(type="mcp_approval_request", name="delete", arguments='{"id":1}', server_label="s"),
        "assistant",
        'delete {"id":1}',
    ),
    (item(type="mcp_approval_response", approval_request_id="a", approve=True), "tool", ""),
    (item(type="compaction", encrypted_content="gAAAA"), "assistant", ""),
    (item(type="item_reference", id="msg_0"), "assistant", ""),
    (item(id="msg_0"), "assistant", ""),
    (item(), "assistant", ""),
    (item(type="text", text=""), "assistant", ""),
    (item(role="critic", content="Hm"), "assistant", "Hm"),
    (item(__enc__=1, kid="a", payload="gAAAA"), "assistant", ""),
)
ITEMS: Final = [one for one, _, _ in TABLE]
