"""Windows of our histories: the newest messages, in one request."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from everturn.client import Everturn
from everturn.errors import InvalidRequestError
from everturn.integrations.langchain.history import EverturnChatMessageHistory
from integrations.langchain.langchain_histories import awaited
from integrations.langchain.langchain_messages import CALL, RESULT, said
from integrations.watched_transport import WatchedTransport


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Everturn]:
    """Return another writer's client."""
    with Everturn.local(tmp_path) as made:
        yield made


@pytest.mark.parametrize(("last", "expected"), [(1, "c"), (2, "b c"), (3, "a b c"), (9, "a b c")])
def test_a_window_is_the_newest_messages_in_one_request(
    client: Everturn, wire: WatchedTransport, last: int, expected: str
) -> None:
    EverturnChatMessageHistory("one", client).add_messages(said("a b c"))
    with wire.blocking_client() as own:
        history = EverturnChatMessageHistory("one", own, last=last)
        assert history.messages == said(expected)
    assert wire.asked == ["GET turns"]


@pytest.mark.parametrize(("last", "expected"), [(1, 0), (2, 0), (3, 3), (4, 4)])
def test_a_window_does_not_begin_inside_a_tool_exchange(
    client: Everturn, tmp_path: Path, last: int, expected: int
) -> None:
    talk = [HumanMessage("Ulm?"), CALL, RESULT, ToolMessage("rain", tool_call_id="call_1")]
    history = EverturnChatMessageHistory("one", client, last=last)
    history.add_messages(talk)
    shown = talk[len(talk) - expected :]
    assert history.messages == shown

    async def rule(whole: EverturnChatMessageHistory) -> None:
        whole.last = last
        assert await whole.aget_messages() == shown

    awaited(tmp_path, rule)


def test_a_window_on_results_alone_begins_with_what_comes_after_them(client: Everturn) -> None:
    history = EverturnChatMessageHistory("one", client, last=2)
    history.add_messages([CALL, RESULT, AIMessage("14 degrees")])
    assert history.messages == [AIMessage("14 degrees")]


@pytest.mark.parametrize("last", [0, -1, 1_001])
def test_a_window_of_no_size_is_refused(client: Everturn, last: int) -> None:
    with pytest.raises(InvalidRequestError, match=f"last={last}") as refused:
        EverturnChatMessageHistory("one", client, last=last)
    assert refused.value.field == "last"


def test_an_unknown_history_has_an_empty_window(client: Everturn, tmp_path: Path) -> None:
    assert EverturnChatMessageHistory("one", client, last=2).messages == []

    async def rule(history: EverturnChatMessageHistory) -> None:
        history.last = 2
        assert await history.aget_messages() == []

    awaited(tmp_path, rule)
