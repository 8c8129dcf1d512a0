import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strands.session import FileSessionManager
from strands.types.exceptions import SessionException
from strands.types.session import (
    Session,
    SessionAgent,
    SessionMessage,
    decode_bytes_values,
    encode_bytes_values,
)

from everturn.client import Everturn
from everturn.errors import CorruptRecordError
from everturn.integrations.strands.names import redactions_place, session_place
from everturn.integrations.strands.sessions import EverturnSessionRepository
from everturn.integrations.strands.values import decoded, encoded, restored, stored
from integrations.strands.strands_repositories import agent, begin, listed, message, session, swarm

LOOKS_LIKE_BYTES = {"__bytes_encoded__": True, "data": "QUJD"}
NAMES = st.sampled_from(["__bytes_encoded__", "___bytes_encoded__", "data", "_", ""]) | st.text()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.just(LOOKS_LIKE_BYTES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
PLAIN = st.recursive(
    st.none() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_values_come_back_as_they_were_even_what_looks_like_bytes(value: object) -> None:
    assert decoded(json.loads(json.dumps(encoded(value)))) == value


@given(PLAIN)
def test_bytes_are_written_and_read_as_strands_does(value: object) -> None:
    """So its files are read as they are, and it reads ours."""
    assert encoded(value) == encode_bytes_values(value)
    assert decoded(encode_bytes_values(value)) == decode_bytes_values(encoded(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        {"__bytes_encoded__": True, "data": "?"},
        {"__bytes_encoded__": True, "data": 5},
        {"__bytes_encoded__": True, "data": "é"},
        {"__bytes_encoded__": 1, "data": "QUJD"},
        {"__bytes_encoded__": True},
    ],
)
def test_what_only_looks_like_bytes_stays_as_it_is(value: object) -> None:
    """Strands' own reading fails, and with it that of the whole session."""
    assert decoded(value) == value


@pytest.mark.parametrize("value", [None, [], "text", {}, {"session_id": "s"}, {"agent_id": "a"}])
def test_a_document_of_another_form_is_named(value: object) -> None:
    with pytest.raises(CorruptRecordError, match="a document keeps no Session of strands"):
        restored(Session, value)
    with pytest.raises(CorruptRecordError, match="a document keeps no SessionAgent of strands"):
        restored(SessionAgent, value)


@pytest.mark.parametrize("kept", [session(), agent(seen=b"1")])
def test_objects_of_strands_are_kept_as_it_keeps_them(kept: Session | SessionAgent) -> None:
    assert stored(kept) == kept.to_dict()
    assert restored(type(kept), {**stored(kept), "newer": 1}) == kept


def test_a_tool_that_is_given_what_looks_like_bytes_gets_it_again(tmp_path: Path) -> None:
    """Strands' own sessions give bytes."""
    use: Any = {"toolUse": {"toolUseId": "1", "name": "n", "input": LOOKS_LIKE_BYTES}}
    with Everturn.local(tmp_path / "ours") as client:
        ours = EverturnSessionRepository(client)
        begin(ours)
        ours.create_message("s", "default", SessionMessage({"role": "user", "content": [use]}, 0))
        ours.create_agent("s", agent("b", state=LOOKS_LIKE_BYTES))
        ours.create_multi_agent("s", swarm(state=LOOKS_LIKE_BYTES))

        [found] = ours.list_messages("s", "default")
        assert found.message["content"] == [use]
        assert getattr(ours.read_agent("s", "b"), "state", None) == {"state": LOOKS_LIKE_BYTES}
        assert ours.read_multi_agent("s", "team") == {"state": LOOKS_LIKE_BYTES}
    theirs = FileSessionManager("s", storage_dir=str(tmp_path / "theirs"))
    theirs.create_agent("s", agent("b", state=LOOKS_LIKE_BYTES))
    assert getattr(theirs.read_agent("s", "b"), "state", None) == {"state": b"ABC"}


@pytest.mark.parametrize("value", [[], "x", {"0": 5}, {"0": {"message": {"role": "user"}}}])
def test_a_document_of_another_program_hides_no_message(tmp_path: Path, value: object) -> None:
    """Of what was redacted then the text of the turn is left; of a session its place is named."""
    with Everturn.local(tmp_path) as client:
        ours = EverturnSessionRepository(client)
        begin(ours, "secret", "b")
        client.redact_turn("s", 0, text="[gone]")
        client.put_document(*redactions_place("s", "default"), value)
        client.put_document(*session_place("s"), value)

        assert listed(ours) == ["[gone]", "b"]
        with pytest.raises(SessionException, match="a document keeps no Session of strands"):
            ours.read_session("s")
        redacted = message("b", 1)
        redacted.redact_message = {"role": "user", "content": [{"text": "[too]"}]}
        ours.update_message("s", "default", redacted)
        assert listed(ours) == ["[gone]", "[too]"]
        ours.delete_session("s")
