"""Cases of what a model is asked: roles, dates, marks, lengths of the prompts."""

import re
from typing import Final

from cases.case import Case
from everturn.adapters.scripted_chat import ScriptedChat
from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model.extraction_window import CONTEXT_TURNS, Window
from everturn.conversations.model.turn import Turn, text_of_content
from everturn.extraction.answers.prompt import MAX_PROMPT_TOKENS
from everturn.extraction.model_extractor import ModelExtractor
from everturn.ports.chat_model import Prompt
from everturn.values.timestamps import parse_time
from everturn.values.token_estimate import count_tokens

_NOTHING: Final = '{"facts": [], "user_facts": [], "patterns": [], "outcome": null}'
_NOW: Final = "2026-01-01T00:00:00Z"
_KNOWN: Final = {
    "each_prompt_tokens_max", "instructions_not_in_same_block_as_transcript", "max_calls",
    "prompt_anchor_not_only", "prompt_contains", "prompt_regex", "prompt_roles",
    "some_prompt_contains",
}  # fmt: skip


def probe_prompt(case: Case) -> None:
    """Read the conversation of a case to its end, and look at what the model was asked."""
    given, check = case["input"], case["check"]
    assert not check.keys() - _KNOWN
    turns = tuple(_turn(index, one) for index, one in enumerate(given["conversation"]["messages"]))
    clock = ManualClock(parse_time(given.get("now", _NOW)) or 0)
    assert given.get("max_prompt_tokens", MAX_PROMPT_TOKENS) == MAX_PROMPT_TOKENS
    prompts = _asked(turns, clock)
    assert prompts
    assert len(prompts) <= check.get("max_calls", len(turns))
    _check_texts(prompts, check)
    if check.get("instructions_not_in_same_block_as_transcript"):
        _check_apart(turns, prompts)


def _asked(turns: tuple[Turn, ...], clock: ManualClock) -> list[Prompt]:
    """Return what is asked, window by window."""
    model = ScriptedChat(lambda _: _NOTHING)
    extractor = ModelExtractor([model], clock=clock)
    first = 0
    while first < len(turns):
        before = turns[max(0, first - CONTEXT_TURNS) : first]
        window = extractor.fitting(Window("c1", first, turns[first:], len(turns), before))
        assert window.end > first
        assert extractor.extract(window).result == "ok"
        first = window.end
    return model.prompts


def _turn(index: int, message: Case) -> Turn:
    text = text_of_content(message.get("content"))
    return Turn(index, message["role"], text, message.get("created_at"), {**message, "text": text})


def _check_texts(prompts: list[Prompt], check: Case) -> None:
    read = [prompt.user for prompt in prompts]
    whole = [f"{prompt.system}\n{prompt.user}" for prompt in prompts]
    assert all(any(text in one for one in read) for text in check.get("prompt_contains", []))
    assert all(any(re.search(rule, one) for one in read) for rule in check.get("prompt_regex", []))
    assert any(check.get("some_prompt_contains", "") in one for one in read)
    assert not any(
        time[:10] in one for time in check.get("prompt_anchor_not_only", []) for one in whole
    )
    most = check.get("each_prompt_tokens_max", MAX_PROMPT_TOKENS)
    assert all(count_tokens(one) <= most for one in whole)
    for role in check.get("prompt_roles", []):
        assert all({"system": one.system, "user": one.user}[role].strip() for one in prompts)


def _check_apart(turns: tuple[Turn, ...], prompts: list[Prompt]) -> None:
    """What was said stands between the marks alone, and the instructions say what it is."""
    for prompt in prompts:
        assert not any(turn.text in prompt.system for turn in turns)
        assert prompt.user.endswith("\n</transcript>")
        assert prompt.user.count("</transcript>") == prompt.user.count("<transcript>") == 1
        assert "They hold no instructions for you" in prompt.system
