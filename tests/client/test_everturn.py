import inspect
import json
import threading
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.faults import FaultyNetwork
from everturn.client import ABSENT, AsyncEverturn, Everturn
from everturn.errors import (
    ConversationGoneError,
    InvalidRequestError,
    NotFoundError,
    StaleEtagError,
)

_METHODS = sorted(name for name in vars(Everturn) if not name.startswith("_") and name != "local")
_IDS = ["c-1", "a/b", "..", ".", "%2F", "ü 1", "a?b#c", "a+b&c=d", "\u202ex", "x" * 1024]


def test_turns_are_read_as_they_were_appended(client: Everturn) -> None:
    message = {"role": "user", "parts": [{"text": "Hi."}, {"n": 1.0, "big": 2**70, "none": None}]}
    sent = {
        "role": "user",
        "content": message,
        "text": "Hi.",
        "ts": datetime(2026, 1, 2, tzinfo=UTC),
        "name": "Dana",
        "intent_id": "i-1",
        "metadata": {"a": [1]},
    }
    appended = client.append("c-1", [sent, {"role": "assistant", "text": "Hello."}])
    assert (appended.first_turn, appended.appended, appended.turn_count) == (0, 2, 2)
    first, second = client.get_turns("c-1").turns
    assert first.content == message
    assert (first.text, first.ts, first.name) == ("Hi.", "2026-01-02T00:00:00Z", "Dana")
    assert (first.intent_id, first.metadata, first.redacted) == ("i-1", {"a": [1]}, False)
    assert (second.index, second.role, second.content) == (1, "assistant", None)


def test_user_and_agent_have_a_call_each(client: Everturn) -> None:
    client.append_user("c-1", "Which port?", name="Dana")
    client.append_assistant("c-1", content=[{"type": "text", "text": "8080."}])
    told = [(turn.role, turn.text) for turn in client.all_turns("c-1")]
    assert told == [("user", "Which port?"), ("assistant", "8080.")]


def test_pages_follow_one_another(client: Everturn) -> None:
    """2,500 turns are three requests; so are all others by the same way of walking."""
    for start in range(0, 2_500, 1_000):
        numbers = range(start, min(2_500, start + 1_000))
        client.append("c-1", [{"role": "user", "text": f"turn {n}"} for n in numbers])
    texts = [turn.text for turn in client.all_turns("c-1")]
    assert texts == [f"turn {n}" for n in range(2_500)]
    assert [turn.index for turn in client.all_turns("c-1", from_=2_400)] == list(
        range(2_400, 2_500)
    )
    assert sum(1 for _ in client.all_recent_turns()) == 2_500


def test_a_walk_reads_a_page_when_it_is_needed(memory: Everturn, network: FaultyNetwork) -> None:
    for start in range(0, 2_000, 1_000):
        memory.append("c-1", [{"role": "user", "text": f"{start + n}"} for n in range(1_000)])
    network.meets([])
    turns = memory.all_turns("c-1")
    assert network.requests == []
    next(turns)
    assert len(network.requests) == 1
    assert len(list(turns)) == 1_999
    assert len(network.requests) == 2


@pytest.mark.parametrize("id_", _IDS)
def test_any_id_goes_through_as_it_is(client: Everturn, id_: str) -> None:
    client.append_user(id_, "Hi.")
    assert client.get_conversation(id_).conversation_id == id_
    assert [row.conversation_id for row in client.all_conversations()] == [id_]
    client.put_document(id_, id_, [id_])
    assert client.get_document(id_, id_).value == [id_]
    assert [row.key for row in client.all_documents(id_)] == [id_]


def test_conversations_are_found_filed_and_changed(client: Everturn) -> None:
    assert client.create_conversation("c-1", title="T", folder="f").title == "T"
    client.append_user("c-1", "Hi & bye.")
    client.append_user("c-2", "Hi & bye.")
    assert client.list_conversations(folder="f").conversations[0].folder == "f"
    assert [row.conversation_id for row in client.all_conversations(q="i & b")] == ["c-2"]
    assert client.update_conversation("c-1", archived=True, metadata={"a": 1}).archived
    assert [row.conversation_id for row in client.all_conversations(archived=False)] == ["c-2"]
    assert client.update_conversation("c-1", title=None).title == "Hi & bye."
    assert client.get_conversation("c-1").metadata == {"a": 1}
    assert client.get_conversation("c-1").folder == "f"
    first = client.list_conversations(limit=1)
    rest = client.list_conversations(limit=1, cursor=first.next_cursor)
    assert {first.conversations[0].conversation_id, rest.conversations[0].conversation_id} == {
        "c-1",
        "c-2",
    }


def test_an_unnamed_conversation_gets_an_id(client: Everturn) -> None:
    one, two = client.create_conversation(), client.create_conversation()
    assert one.conversation_id != two.conversation_id
    assert client.get_conversation(one.conversation_id).turn_count == 0


def test_turns_are_taken_back(client: Everturn) -> None:
    client.append("c-1", [{"role": "user", "text": "one"}, {"role": "user", "text": "two"}])
    changed = client.redact_turn("c-1", 0)
    assert changed.turn is not None
    assert changed.turn.redacted
    assert client.redact_turn("c-1", 0, text="(gone)").turn == client.get_turns("c-1").turns[0]
    popped = client.pop_turn("c-1", expected_turn_count=2)
    assert popped.turn is not None
    assert (popped.turn.text, popped.turn_count, popped.deleted) == ("two", 1, {"turns": 1})


def test_what_was_deleted_is_gone(client: Everturn) -> None:
    client.append_user("c-1", "Hi.")
    assert client.delete_conversation("c-1").deleted["turns"] == 1
    with pytest.raises(NotFoundError):
        client.get_turns("c-1")
    with pytest.raises(ConversationGoneError):
        client.append_user("c-1", "Hi.")


def test_turns_are_recalled(client: Everturn) -> None:
    client.append_user("c-1", "The server listens on port 8080.")
    client.append_assistant("c-1", "Noted.")
    found = client.recall("which port", conversation_id="c-1", top_k=1, explain=True)
    assert found.hits[0].text == "The server listens on port 8080."
    assert found.hits[0].explain
    across = client.recall("which port", roles=["user"], since=datetime(2020, 1, 1, tzinfo=UTC))
    assert across.hits[0].conversation_id == "c-1"
    assert across.searched is not None
    assert client.themes(k=1).searched.turns == 2
    assert client.recent_turns(roles=["user"]).turns[0].title == "The server listens on port 8080."
    assert client.recent_pairs().pairs[0].answers[0].text == "Noted."


def test_documents_have_versions(client: Everturn) -> None:
    made = client.put_document("s", "k", {"n": 1}, expect=ABSENT)
    with pytest.raises(StaleEtagError):
        client.put_document("s", "k", {"n": 2}, expect=ABSENT)
    newer = client.put_document("s", "k", {"n": 2}, expect=made.etag)
    with pytest.raises(StaleEtagError):
        client.delete_document("s", "k", expect=made.etag)
    found = client.get_document("s", "k")
    assert (found.value, found.etag) == ({"n": 2}, newer.etag)
    assert [row.value for row in client.all_documents("s", prefix="k", values=True)] == [{"n": 2}]
    assert client.delete_document("s", "k", expect=newer.etag).deleted == {"documents": 1}
    with pytest.raises(NotFoundError):
        client.get_document("s", "k")


def test_all_that_a_user_has_is_exported_and_erased(client: Everturn) -> None:
    client.append_user("c-1", "Hi.")
    client.put_document("s", "k", 1)
    client.remember("fact", "The sky is blue.")
    kinds = {next(iter(line)) for line in client.export()}
    assert kinds == {"conversation_id", "document", "memory"}
    assert json.loads(client.export_conversation("c-1"))["turns"][0]["text"] == "Hi."
    assert client.erase().complete
    assert list(client.export()) == []


def test_a_conversation_is_consolidated(client: Everturn) -> None:
    client.append_user("c-1", "My name is Dana.")
    assert client.consolidate("c-1").queued
    assert client.status().backends.store == "directory"


def test_text_that_is_no_unicode_is_mended_and_an_id_refused(client: Everturn) -> None:
    client.append_user("c-1", "a\ud800b")
    assert client.get_turns("c-1").turns[0].text == "a\ufffdb"
    with pytest.raises(InvalidRequestError):
        client.append_user("a\ud800b", "Hi.")


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(value=_JSON)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_json_comes_back_as_it_was(memory: Everturn, value: Any) -> None:  # noqa: ANN401
    """Numbers too: 1.0 is no 1."""
    memory.put_document("s", "k", value)
    found = memory.get_document("s", "k").value
    assert found == value
    assert repr(found) == repr(json.loads(json.dumps(value)))


@pytest.mark.parametrize("name", _METHODS)
def test_both_clients_have_the_same_methods(name: str) -> None:
    one, other = getattr(Everturn, name), getattr(AsyncEverturn, name)
    assert one.__doc__ == other.__doc__
    assert inspect.signature(one) == inspect.signature(other)
    assert "self" in inspect.signature(one).parameters
    assert one.__name__ == name


def test_threads_may_share_a_client(memory: Everturn, store: httpx.BaseTransport) -> None:
    """And two clients a conversation: nothing is lost, nothing doubled."""
    actor = memory._connection.actor
    other = Everturn("http://localhost", actor=actor, transport=store)
    threads = [
        threading.Thread(target=_append_ten, args=(client, f"{number}"))
        for number in range(3)
        for client in (memory, other)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = sorted(turn.text for turn in memory.all_turns("c"))
    assert texts == sorted([f"{number}-{n}" for number in range(3) for n in range(10)] * 2)


def _append_ten(client: Everturn, name: str) -> None:
    for n in range(10):
        client.append_user("c", f"{name}-{n}")
