"""Chains over our histories, as over LangChain's own."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.language_models.fake_chat_models import FakeListChatModel, ParrotFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from everturn.client import Everturn
from everturn.integrations.langchain.history import EverturnChatMessageHistory
from integrations.langchain.langchain_histories import KINDS, HistoryOf, histories
from integrations.langchain.langchain_messages import texts

# LangChain recommends LangGraph in place of histories and of the runnable that has one.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The class `InMemoryChatMessageHistory` was deprecated"),
    pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated"),
]

CONFIG: Any = {"configurable": {"session_id": "talk"}}


@pytest.fixture(params=KINDS)
def history_of(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HistoryOf]:
    with histories(request.param, tmp_path) as made:
        yield made


def invoked(chain: RunnableWithMessageHistory, given: object, history_of: HistoryOf) -> Any:  # noqa: ANN401
    """Call a chain as its histories want it."""
    runner = history_of("talk").runner
    if runner is None:
        return chain.invoke(given, CONFIG)
    return runner.run(chain.ainvoke(given, CONFIG))


def test_a_model_is_given_what_was_said_before(history_of: HistoryOf) -> None:
    seen: list[list[BaseMessage]] = []

    def see(messages: list[BaseMessage]) -> list[BaseMessage]:
        seen.append(messages)
        return messages

    model = FakeListChatModel(responses=["On the Danube.", "14 degrees."])
    chain = RunnableWithMessageHistory(
        RunnableLambda(see) | model, lambda session_id: history_of(session_id).history
    )

    assert invoked(chain, [HumanMessage("Where is Ulm?")], history_of).content == "On the Danube."
    assert invoked(chain, [HumanMessage("How warm?")], history_of).content == "14 degrees."

    expected = ["Where is Ulm?", "On the Danube.", "How warm?"]
    assert list(map(texts, seen)) == [expected[:1], expected]
    found = history_of("talk").read()
    assert texts(found) == [*expected, "14 degrees."]
    assert list(map(type, found)) == [HumanMessage, AIMessage] * 2


def prompted(model: Runnable[Any, Any], history: Any) -> RunnableWithMessageHistory:  # noqa: ANN401
    prompt = ChatPromptTemplate.from_messages(
        [MessagesPlaceholder("history"), ("human", "{question}")]
    )
    return RunnableWithMessageHistory(
        prompt | model,
        history,
        input_messages_key="question",
        history_messages_key="history",
    )


def test_a_prompt_is_given_the_history_at_its_place(history_of: HistoryOf) -> None:
    model = FakeListChatModel(responses=["one", "two"])
    chain = prompted(model, lambda session_id: history_of(session_id).history)
    invoked(chain, {"question": "a"}, history_of)
    invoked(chain, {"question": "b"}, history_of)
    assert texts(history_of("talk").read()) == ["a", "one", "b", "two"]


def test_chains_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    def run(name: str) -> None:
        with Everturn.local(tmp_path) as client:

            def history_of(session_id: str) -> BaseChatMessageHistory:
                return EverturnChatMessageHistory(session_id, client)

            chain = prompted(ParrotFakeChatModel(), history_of)
            for n in range(4):
                chain.invoke({"question": f"{name}{n}"}, CONFIG)

    with ThreadPoolExecutor() as threads:
        list(threads.map(run, "abc"))

    with Everturn.local(tmp_path) as client:
        found = texts(EverturnChatMessageHistory("talk", client).messages)
    assert found[::2] == found[1::2]
    assert sorted(found[::2]) == [f"{name}{n}" for name in "abc" for n in range(4)]


def test_a_window_is_all_that_a_model_is_given(tmp_path: Path) -> None:
    seen: list[int] = []

    def count(messages: list[BaseMessage]) -> str:
        seen.append(len(messages))
        return "ok"

    with Everturn.local(tmp_path) as client:

        def window_of(session_id: str) -> BaseChatMessageHistory:
            return EverturnChatMessageHistory(session_id, client, last=4)

        chain = RunnableWithMessageHistory(RunnableLambda(count), window_of)
        for n in range(5):
            chain.invoke([HumanMessage(str(n))], CONFIG)
        found = texts(EverturnChatMessageHistory("talk", client).messages)

    assert seen == [1, 3, 5, 5, 5]
    assert found == [text for n in range(5) for text in (str(n), "ok")]


def test_chains_in_tasks_of_one_thread_lose_nothing_of_each_other(tmp_path: Path) -> None:
    with Everturn.local(tmp_path) as client:

        def history_of(session_id: str) -> BaseChatMessageHistory:
            return EverturnChatMessageHistory(session_id, client)

        chain = prompted(ParrotFakeChatModel(), history_of)

        async def main() -> None:
            questions = [chain.ainvoke({"question": str(n)}, CONFIG) for n in range(5)]
            await asyncio.gather(*questions)

        asyncio.run(main())
        found = texts(EverturnChatMessageHistory("talk", client).messages)
    assert sorted(found) == sorted(str(n) for n in range(5) for _ in "ab")
