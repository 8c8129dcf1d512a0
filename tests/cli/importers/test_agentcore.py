import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.foreign_files import Json, broken, event, said
from everturn.cli.importers.agentcore import looks_like_agentcore, read_events
from everturn.cli.importers.conversation_files import FoundConversation
from everturn.cli.importers.export_files import FoundDocument
from everturn.cli.output.errors import CliError

NEWEST_FIRST = [
    event(2, said("USER", "And back?"), metadata={"place": {"stringValue": "Lisbon"}}),
    event(1, said("USER", "When do I fly?"), said("ASSISTANT", "On Friday.")),
]


def _read(*values: object, actor: str | None = None) -> list[FoundConversation | FoundDocument]:
    numbered = ((f"position=$[{at}]", value) for at, value in enumerate(values))
    return list(read_events(numbered, actor=actor))


def _conversations(found: Iterable[FoundConversation | FoundDocument]) -> dict[str, list[Json]]:
    return {
        one.conversation_id: list(one.turns) for one in found if isinstance(one, FoundConversation)
    }


def test_events_become_turns_oldest_first_with_their_times_and_metadata() -> None:
    """ListEvents answers the newest first."""
    (turns,) = _conversations(_read({"events": NEWEST_FIRST})).values()
    assert [(turn["role"], turn["text"], turn["ts"][17:19]) for turn in turns] == [
        ("user", "When do I fly?", "31"),
        ("assistant", "On Friday.", "31"),
        ("user", "And back?", "32"),
    ]
    assert turns[2]["metadata"] == {
        "agentcore": {
            "event_id": "0000001756147154002#ffa53e54",
            "metadata": {"place": {"stringValue": "Lisbon"}},
        }
    }


def test_events_of_one_moment_are_in_the_order_of_their_ids() -> None:
    """They were listed newest first; ids count on."""
    at = "2025-08-25T15:12:31+00:00"
    later, first = (event(n, said("USER", str(n)), eventTimestamp=at) for n in (2, 1))
    (turns,) = _conversations(_read(later, first)).values()
    assert [turn["text"] for turn in turns] == ["1", "2"]


def test_pages_lists_and_lines_of_events_are_the_same() -> None:
    whole = _read({"events": NEWEST_FIRST})
    assert _read(*NEWEST_FIRST) == whole
    pages = ({"events": [NEWEST_FIRST[0]], "nextToken": "t"}, {"events": [NEWEST_FIRST[1]]})
    assert _read(*pages) == whole


def test_a_page_that_is_missing_is_said_and_nothing_is_imported() -> None:
    with pytest.raises(CliError, match="more events than these"):
        _read({"events": NEWEST_FIRST, "nextToken": "t"})


def test_seconds_since_1970_are_a_time_too() -> None:
    one = event(1, said("USER", "x"), eventTimestamp=1756134751.5)
    (turns,) = _conversations(_read(one)).values()
    assert turns[0]["ts"] == "2025-08-25T15:12:31.5Z"


def test_each_session_and_each_branch_is_a_conversation() -> None:
    found = _read(
        event(1, said("USER", "a"), branch={"name": "main"}),
        event(2, said("USER", "b"), branch={"name": "retry", "rootEventId": "0#1"}),
        event(3, said("USER", "c"), sessionId="s2"),
    )
    texts = {id_: [turn["text"] for turn in turns] for id_, turns in _conversations(found).items()}
    assert texts == {"s1": ["a"], "s1/retry": ["b"], "s2": ["c"]}


def test_whose_events_they_become_says_the_caller_and_only_one_actors_are_taken() -> None:
    of_two = [event(1, said("USER", "a")), event(2, said("USER", "b"), actorId="erin")]
    with pytest.raises(CliError, match=r"several actors, name one .* actors=dana,erin$"):
        _read(*of_two)
    (turns,) = _conversations(_read(*of_two, actor="erin")).values()
    assert [turn["text"] for turn in turns] == ["b"]
    with pytest.raises(CliError, match=r"another actor actors=dana$"):
        _read(event(1, said("USER", "a")), actor="erin")
    with pytest.raises(CliError, match="several actors"):
        _read(*of_two, actor="frank")


@pytest.mark.parametrize("item", [{"json": {"step": 1}}, {"blob": {"a": [1]}}, {"blob": "[1, 2]"}])
def test_what_is_no_message_is_kept_as_a_document(item: Json) -> None:
    found = _read(event(1, said("USER", "a"), item))
    (document,) = [one for one in found if isinstance(one, FoundDocument)]
    assert document == FoundDocument("agentcore.s1", "0000001756147154001#ffa53e54.1", item)


def test_a_message_that_strands_stored_is_a_turn_of_its_blocks() -> None:
    """Its session manager for AgentCore writes each message as JSON, a long one into a blob."""
    blocks = [{"text": "Where?"}, {"toolUse": {"toolUseId": "t", "name": "map", "input": {}}}]
    message = {"role": "assistant", "content": blocks}
    stored = json.dumps({"message": message, "message_id": 1, "created_at": "2025-01-01T00:00:00Z"})
    for item in (said("ASSISTANT", stored), {"blob": json.dumps([stored, "assistant"])}):
        (turns,) = _conversations(_read(event(1, item))).values()
        assert (turns[0]["role"], turns[0]["content"]) == ("assistant", blocks)
        assert turns[0]["ts"] == "2025-08-25T15:12:31+00:00"
        # Agents of one session count alike: its number is not that of a turn.
        assert turns[0]["metadata"]["strands"]["after"] == -1


@pytest.mark.parametrize("text", ["{", '{"message": 1, "message_id": 2}', "[1]", "{}", "null"])
def test_json_that_somebody_said_is_a_text(text: str) -> None:
    (turns,) = _conversations(_read(event(1, said("USER", text)))).values()
    assert turns[0]["text"] == text


def test_roles_keep_their_meaning() -> None:
    roles = ("USER", "ASSISTANT", "TOOL", "OTHER")
    (turns,) = _conversations(_read(event(1, *(said(r, "x") for r in roles)))).values()
    assert [turn["role"] for turn in turns] == ["user", "assistant", "tool", "other"]


@pytest.mark.parametrize(
    ("value", "position"),
    [
        (7, r"no event position=\$\[0\]$"),
        ({"events": [{}]}, r"position=\$\[0\] event=0$"),
        (event(1, eventTimestamp="soon"), r"position=\$\[0\] event=0$"),
        (event(1, sessionId=""), r"position=\$\[0\] event=0$"),
    ],
)
def test_what_is_no_event_is_refused_with_its_place(value: object, position: str) -> None:
    with pytest.raises(CliError, match=position):
        _read(value)


def test_an_empty_answer_holds_nothing() -> None:
    assert _read({"events": []}) == []
    assert looks_like_agentcore({"events": []})


@given(st.lists(broken({"events": NEWEST_FIRST}) | broken(NEWEST_FIRST[0]), max_size=2))
def test_anything_like_it_is_read_or_refused(values: list[object]) -> None:
    try:
        found = _read(*values, actor="dana")
    except CliError:
        return
    assert all(isinstance(one, FoundConversation | FoundDocument) for one in found)


@pytest.mark.parametrize(("other", "branch"), [("s-1/b", "b"), ("caf\u00e9", None)])
def test_sessions_and_branches_with_one_id_are_not_mixed(other: str, branch: str | None) -> None:
    """AgentCore gives no such ids; a file may name them all the same."""
    one = event(1, said("USER", "x"), sessionId="s-1" if branch else "cafe\u0301")
    if branch:
        one["branch"] = {"name": branch}
    with pytest.raises(CliError, match="several sessions or branches have one id"):
        _read(one, event(2, said("USER", "y"), sessionId=other))
