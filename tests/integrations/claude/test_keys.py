"""The ids of the conversations that hold transcripts."""

import unicodedata

import pytest
from claude_agent_sdk import SessionKey
from hypothesis import given
from hypothesis import strategies as st

from everturn.integrations.claude.summary import (
    conversation_of,
    encoded,
    session_of,
    subpath_of,
)
from integrations.claude.claude_entries import KEY, SUB

TEXTS = st.text(st.characters(exclude_categories=()), max_size=6) | st.sampled_from(
    ["a/b", "a~2Fb", "a:b", "a%2Fb", "..", "é", "e\u0301", " ", "\0", "\ud800", "~", "%"]
)
PARTS = st.tuples(TEXTS, TEXTS, st.none() | TEXTS.filter(bool))


def key_of(parts: tuple[str, str, str | None]) -> SessionKey:
    project, session, subpath = parts
    key: SessionKey = {"project_key": project, "session_id": session}
    return {**key, "subpath": subpath} if subpath else key


@given(PARTS, PARTS)
def test_no_two_keys_share_a_conversation(
    one: tuple[str, str, str | None], two: tuple[str, str, str | None]
) -> None:
    assert (conversation_of(key_of(one)) == conversation_of(key_of(two))) == (one == two)


@given(PARTS)
def test_a_key_can_be_read_off_its_conversation(parts: tuple[str, str, str | None]) -> None:
    project, session, subpath = parts
    found = conversation_of(key_of(parts))
    main = conversation_of(key_of((project, session, None)))
    assert session_of(found, project) == (None if subpath else session)
    assert subpath_of(found, main) == subpath


@given(TEXTS)
def test_a_part_is_ascii_that_no_server_or_proxy_changes(text: str) -> None:
    assert encoded(text).isascii()
    assert encoded(text).isprintable()
    assert not set(encoded(text)) & set("/:%?#")
    assert unicodedata.normalize("NFC", encoded(text)) == encoded(text)


@pytest.mark.parametrize(
    ("key", "conversation_id"),
    [
        (KEY, "claude-session:proj:sess"),
        (SUB, "claude-session:proj:sess:subagents~2Fagent-1"),
        ({"project_key": "-w my~app", "session_id": "a:b"}, "claude-session:-w~20my~7Eapp:a~3Ab"),
    ],
)
def test_an_id_is_what_it_was(key: SessionKey, conversation_id: str) -> None:
    """Another form would lose what is stored."""
    assert conversation_of(key) == conversation_id


def test_an_empty_subpath_is_the_session_itself() -> None:
    assert conversation_of({**KEY, "subpath": ""}) == conversation_of(KEY)


@pytest.mark.parametrize("part", ["~ff", "~2f", "a~", "%41", "~41"])
def test_an_id_that_no_key_has_is_no_session(part: str) -> None:
    """Anybody may give a conversation such an id."""
    assert session_of(f"claude-session:proj:{part}", "proj") is None
    assert subpath_of(f"claude-session:proj:sess:{part}", "claude-session:proj:sess") is None
