import pytest
from hypothesis import given

from cli.foreign_files import Json, broken, claude_export, claude_message
from everturn.cli.importers.claude import claude_conversation, looks_like_claude
from everturn.cli.output.errors import CliError

ROOT = "00000000-0000-4000-8000-000000000000"


def _texts(value: Json) -> list[str]:
    return [turn["text"] for turn in claude_conversation(value, "position=$[0]").turns]


def test_messages_are_turns_with_their_times_and_are_kept_whole() -> None:
    value = claude_export()
    found = claude_conversation(value, "position=$[0]")
    assert (found.conversation_id, found.head) == ("c1a0de00-2222", {"title": "Greetings"})
    assert [(turn["role"], turn["text"]) for turn in found.turns] == [
        ("user", "Hello, Claude"),
        ("assistant", "Hello! What shall we do?"),
    ]
    assert [turn["ts"] for turn in found.turns] == [
        "2025-03-04T05:06:01.123456Z",
        "2025-03-04T05:06:02.123456Z",
    ]
    assert [turn["content"] for turn in found.turns] == value["chat_messages"]
    assert found.notes == ()


def _tree() -> list[Json]:
    return [
        claude_message("a", "human", "one", parent_message_uuid=ROOT),
        claude_message("bb", "assistant", "first try", parent_message_uuid="a"),
        claude_message("ccc", "assistant", "second try", parent_message_uuid="a"),
        claude_message("dddd", "human", "three", parent_message_uuid="bb"),
    ]


def test_where_messages_have_parents_the_newest_branch_is_the_conversation() -> None:
    value = claude_export(*_tree())
    assert _texts(value) == ["one", "first try", "three"]
    notes = claude_conversation(value, "p").notes
    assert notes == ("other branches are left out messages=1",)


def test_the_leaf_that_the_export_names_goes_first() -> None:
    value = claude_export(*_tree(), current_leaf_message_uuid="ccc")
    assert _texts(value) == ["one", "second try"]


def test_a_call_of_a_tool_is_told_where_nothing_is_said() -> None:
    use = {"type": "tool_use", "name": "search", "input": {"q": "gates"}}
    shown = "This block is not supported on your current device yet."
    message = claude_message("a", "assistant", shown, content=[use])
    assert _texts(claude_export(message)) == ['search {"q": "gates"}']
    both = claude_message("a", "assistant", "x", content=[{"type": "text", "text": "I look."}, use])
    assert _texts(claude_export(both)) == ["I look."]


def test_an_old_export_has_its_words_in_one_field() -> None:
    message = claude_message("a", "human", "old")
    del message["content"]
    assert _texts(claude_export(message)) == ["old"]


def test_a_file_without_words_is_a_turn_and_an_empty_message_is_none() -> None:
    attached = [{"file_name": "a.txt", "extracted_content": "..."}]
    message = claude_message("a", "human", "", attachments=attached)
    (turn,) = claude_conversation(claude_export(message), "p").turns
    assert turn["content"] == message
    (blank,) = claude_conversation(claude_export(claude_message("a", "human", "")), "p").turns
    assert blank == {"role": "user", "text": ""}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (claude_export(uuid=None), r"^a conversation needs an id position=\$\[0\]$"),
        (
            claude_export(chat_messages=[7]),
            r"^a message is an object position=\$\[0\]\.chat_messages\[0\]$",
        ),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(value: Json, said: str) -> None:
    with pytest.raises(CliError, match=said):
        claude_conversation(value, "position=$[0]")


@given(broken(claude_export(*_tree())))
def test_anything_like_it_is_a_conversation_or_refused(value: object) -> None:
    if isinstance(value, dict) and looks_like_claude(value):
        try:
            found = claude_conversation(value, "position=$")
        except CliError:
            return
        assert len(found.turns) <= 4
