"""The chat model that answers what it was told to."""

from collections.abc import Callable

import pytest

from everturn.adapters.scripted_chat import Scripted, ScriptedChat
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.chat_model import Completion, Prompt
from ports.chat_model_contract import PROMPT, ChatModelContract


class Told:
    """Scripts, in which three texts stand for what goes wrong."""

    refused, away, denied = "refused!", "away!", "denied!"

    def __init__(self) -> None:
        self.model = ScriptedChat([])

    def __call__(self, *answers: str) -> ScriptedChat:
        wrong: dict[str, Scripted] = {
            self.refused: Completion("", "refused", 0),
            self.away: UnavailableError("away"),
            self.denied: MisconfiguredError("denied"),
        }
        self.model = ScriptedChat([wrong.get(answer, answer) for answer in answers])
        return self.model


class TestScriptedChat(ChatModelContract):
    @pytest.fixture
    def told(self) -> Told:
        return Told()

    @pytest.fixture
    def asked(self, told: Told) -> Callable[[], int]:
        return lambda: told.model.calls


def test_it_may_answer_by_the_prompt_and_tells_what_it_was_asked() -> None:
    model = ScriptedChat(lambda prompt: prompt.user.upper(), name="gateway:small")
    other = Prompt("s", "hello", 5)
    assert model.complete(other, timeout_s=1).text == "HELLO"
    assert model.complete(PROMPT, timeout_s=1).text == PROMPT.user.upper()
    assert (model.prompts, model.calls, model.name) == ([other, PROMPT], 2, "gateway:small")


def test_after_its_last_answer_it_is_not_available() -> None:
    model = ScriptedChat(["one"])
    assert model.complete(Prompt("12345678", "1234", 5), timeout_s=1).tokens == 4
    with pytest.raises(UnavailableError, match="script is at its end"):
        model.complete(PROMPT, timeout_s=1)
