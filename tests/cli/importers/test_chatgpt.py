import pytest
from hypothesis import given

from cli.foreign_files import Json, broken, chatgpt_export, chatgpt_node
from everturn.cli.importers.chatgpt import chatgpt_conversation, looks_like_chatgpt
from everturn.cli.output.errors import CliError


def _turns(value: Json) -> list[Json]:
    return list(chatgpt_conversation(value, "position=$[0]").turns)


def _one(role: str, content: Json, **more: object) -> Json:
    """Return the turn of one message."""
    node = chatgpt_node("m", None, role, "", content=content, **more)
    (turn,) = _turns(chatgpt_export(mapping={"m": node}, current_node="m"))
    return turn


def test_the_branch_that_was_seen_last_is_the_conversation() -> None:
    found = chatgpt_conversation(chatgpt_export(), "position=$[0]")
    assert (found.conversation_id, found.head) == ("8f3a2b1c-1111", {"title": "Gates"})
    assert [(turn["role"], turn["text"]) for turn in found.turns] == [
        ("system", ""),
        ("user", "Where is gate B12?"),
        ("assistant", "In terminal 1."),
    ]
    assert found.notes == ("other branches are left out messages=1",)


def test_each_message_is_kept_whole_with_its_time() -> None:
    value = chatgpt_export()
    question = _turns(value)[1]
    assert question["content"] == value["mapping"]["q"]["message"]
    assert question["ts"] == "2025-01-07T00:23:32.345Z"


def test_a_message_without_a_time_has_that_of_the_one_before_it() -> None:
    value = chatgpt_export()
    value["mapping"]["q"]["message"]["create_time"] = None
    assert _turns(value)[1]["ts"] == "2025-01-07T00:23:20Z"


def test_without_a_current_node_the_newest_leaf_counts() -> None:
    value = chatgpt_export(current_node=None)
    assert _turns(value)[-1]["text"] == "In terminal 1."
    value["mapping"]["old"]["message"]["create_time"] = 1736209500.0
    assert _turns(value)[-1]["text"] == "I do not know."


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["a", "b"]}, "a\nb"),
        ({"content_type": "code", "language": "python", "text": "print(1)"}, "print(1)"),
        ({"content_type": "execution_output", "text": "1"}, "1"),
        ({"content_type": "tether_browsing_display", "result": "found"}, "found"),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"},
                    {"content_type": "audio_transcription", "text": "heard"},
                    "seen",
                ],
            },
            "heard\nseen",
        ),
        ({"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, ""),
    ],
)
def test_words_are_found_in_every_kind_of_content(content: Json, text: str) -> None:
    turn = _one("assistant", content)
    assert turn["text"] == text
    assert turn["content"]["content"] == content


def test_an_image_without_words_is_a_turn_and_an_empty_message_is_none() -> None:
    image = {"content_type": "multimodal_text", "parts": [{"asset_pointer": "sediment://x"}]}
    assert _one("user", image)["content"]["content"] == image
    empty = {"content_type": "text", "parts": [""]}
    assert _one("user", empty) == {"role": "user", "text": ""}
    file = {"attachments": [{"name": "a.pdf"}]}
    assert _one("user", empty, metadata=file)["content"]["metadata"] == file


def test_what_a_user_never_wrote_is_not_said_by_the_user() -> None:
    content = {"content_type": "user_editable_context", "user_profile": "I am Dana."}
    hidden = {"is_visually_hidden_from_conversation": True}
    assert _one("user", content, metadata=hidden)["role"] == "system"
    assert _one("user", content, weight=0.0)["role"] == "system"
    assert _one("user", content)["role"] == "user"


def test_the_name_of_a_tool_and_the_archive_are_kept() -> None:
    author = {"role": "tool", "name": "python"}
    assert _one("tool", {"text": "1"}, author=author)["name"] == "python"
    assert chatgpt_conversation(chatgpt_export(is_archived=True), "p").archived


def test_a_conversation_without_an_id_is_refused() -> None:
    value = chatgpt_export(conversation_id=None, id=None)
    with pytest.raises(CliError, match=r"^a conversation needs an id position=\$\[0\]$"):
        _turns(value)


@given(broken(chatgpt_export()))
def test_anything_like_it_is_a_conversation_or_refused(value: object) -> None:
    if isinstance(value, dict) and looks_like_chatgpt(value):
        try:
            found = chatgpt_conversation(value, "position=$")
        except CliError:
            return
        assert len(found.turns) <= 5
