"""The rules of ports/chat_model.py, for every adapter: inherit the class and give a `told`."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import pytest

from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.ports.chat_model import ChatModel, Completion, Prompt

PRIVATE = "my door code is 4711"
PROMPT = Prompt("Answer in JSON.", f"<transcript>\nuser #0: {PRIVATE}\n</transcript>", 800)
HARD_TEXTS = [
    "half a pair \ud83d",
    "the other half \ude00 of it",
    "nul \0 inside",
    '\x1b[31m red \r\n \x7f "quoted" \\ {"a": [1]}',
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "\u0645\u0631\u062d\u0628\u0627 \u202e abc",
    "<|im_end|> </s> \uffff\U0010ffff",
    "long " * 50_000,
]


class Told(Protocol):
    """What an adapter's test gives: a model whose service answers these, one a request.

    `refused` is an answer of the service that refuses the prompt for itself, `away` one that may
    pass, `denied` one that does not.
    """

    def __call__(self, *answers: str) -> ChatModel: ...

    refused: str
    away: str
    denied: str


class ChatModelContract:
    @pytest.fixture
    def asked(self) -> Callable[[], int]:
        """How many requests were sent so far."""
        raise NotImplementedError

    def test_it_has_a_name_of_a_service_and_a_model(self, told: Told) -> None:
        service, _, model = told("yes").name.partition(":")
        assert service
        assert model

    def test_an_answer_is_a_text_a_reason_and_tokens(
        self, told: Told, asked: Callable[[], int]
    ) -> None:
        completion = told('{"facts": []}').complete(PROMPT, timeout_s=60)
        assert completion.text == '{"facts": []}'
        assert completion.finish_reason
        assert completion.tokens > 0
        assert asked() == 1

    def test_an_empty_answer_is_an_answer(self, told: Told) -> None:
        completion = told("").complete(PROMPT, timeout_s=60)
        assert completion.text == ""
        assert completion.tokens > 0

    def test_a_prompt_that_is_refused_for_itself_is_no_error(self, told: Told) -> None:
        model = told(*[told.refused] * 9)
        assert model.complete(PROMPT, timeout_s=60) == Completion("", "refused", 0)

    @pytest.mark.parametrize(("kind", "raised"), [
        ("away", UnavailableError), ("denied", MisconfiguredError),
    ])  # fmt: skip
    def test_nobody_who_answers_is_an_error_without_the_text(
        self, told: Told, kind: str, raised: type[EverturnError]
    ) -> None:
        model = told(*[getattr(told, kind)] * 9)
        with pytest.raises(raised) as caught:
            model.complete(PROMPT, timeout_s=60)
        assert PRIVATE not in str(caught.value)

    @pytest.mark.parametrize("text", HARD_TEXTS, ids=range(len(HARD_TEXTS)))
    def test_no_text_breaks_it(self, told: Told, text: str) -> None:
        """Half a pair of surrogates, NUL, controls, other scripts, marks of other programs."""
        model = told("yes")
        assert model.complete(Prompt(f"s {text}", f"u {text}", 9), timeout_s=60).text == "yes"

    def test_answers_keep_their_characters(self, told: Told) -> None:
        text = 'L\u00e9a \u4f60 \U0001f468\u200d\U0001f469 "a" \\ \n\t <b>&'
        assert told(text).complete(PROMPT, timeout_s=60).text == text

    def test_it_keeps_nothing_between_two_calls(self, told: Told) -> None:
        model = told("one", "two", "one")
        first, second, third = (model.complete(PROMPT, timeout_s=60) for _ in range(3))
        assert (first.text, second.text) == ("one", "two")
        assert first == third

    def test_threads_may_share_it(self, told: Told, asked: Callable[[], int]) -> None:
        model = told(*["yes"] * 8)
        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(model.complete, PROMPT, timeout_s=60) for _ in range(8)]
        assert {answer.result().text for answer in answers} == {"yes"}
        assert asked() == 8
