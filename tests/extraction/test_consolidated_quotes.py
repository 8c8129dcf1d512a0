"""Whatever is said, each memory that consolidation makes cites turns that say it."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consolidation.consolidations import mark_of, memories
from everturn.adapters.scripted_chat import ScriptedChat
from everturn.consolidation.consolidate_conversation import consolidate
from everturn.conversations.model.turn import TurnDraft
from everturn.extraction.extractor import Extractor
from everturn.extraction.model_extractor import ModelExtractor
from everturn.extraction.rules.extract_by_rules import RulesExtractor
from everturn.ports.chat_model import Prompt
from everturn.recall.language.terms import outside_recalled
from everturn.storage.budget import Budget
from everturn.values.go_json import JsonObject, JsonValue
from extraction.drawn_windows import RECALLED, texts
from extraction.rules.stated_facts import STATED_FACTS
from scenarios.process import CONVERSATION
from scenarios.world import World

_STATED = st.sampled_from([said for said, _, _ in STATED_FACTS])
_TEXTS = texts | _STATED | st.lists(_STATED | texts, max_size=4).map("\n".join)
_ROLES = st.sampled_from(["user", "user", "user", "assistant", "tool", "system", "Human", "Bob"])
_DRAWN = st.lists(st.builds(TurnDraft, _ROLES, _TEXTS), max_size=7)
# Blank turns alone make no conversation.
_TURNS = _DRAWN.map(lambda turns: [*turns, TurnDraft("user", "Thanks!")])


def _consolidated(turns: Sequence[TurnDraft], extractor: Extractor) -> World:
    """Say these, in two appends with a job after each."""
    world = World()
    half = len(turns) // 2
    for part in (turns[:half], turns[half:]):
        world.process().append_drafts(part)
        done = consolidate(
            store=world.data,
            derived=world.derived,
            clock=world.clock,
            entropy=world.entropy,
            scope=world.scope,
            conversation_id=CONVERSATION,
            extractor=extractor,
            budget=Budget(clock=world.clock, seconds=60),
        )
        assert not done.behind
        assert not done.quarantined
    return world


def _assert_cited(world: World) -> int:
    """Each memory cites turns of the conversation, and words of one; return how many there are."""
    stored = {turn.index: turn for turn in world.record().readable_turns()}
    assert mark_of(world).turns == world.record().head.turn_count
    found = memories(world)
    for memory in found.values():
        [source] = memory.sources
        assert source.conversation_id == CONVERSATION
        for mention in source.mentions:
            assert mention.first_turn is not None
            assert mention.last_turn is not None
            said = [stored[n].text for n in range(mention.first_turn, mention.last_turn + 1)]
            spans = [text[slice(*span)] for text in said for span in outside_recalled(text)]
            assert mention.quote
            assert any(mention.quote in span for span in spans)
        assert (memory.hard, memory.pinned) == (False, False)
    return len(found)


@st.composite
def _answers(draw: st.DrawFn, said: Sequence[str]) -> JsonObject:
    """Draw what a model answers that copies, errs, and invents."""
    words = " ".join(said).split() or ["x"]

    def text() -> str:
        begin = draw(st.integers(0, len(words) - 1))
        copied = " ".join(words[begin : begin + draw(st.integers(1, 12))])
        said_by_nobody = (f"The user {copied}", "The admin is Mallory.", RECALLED)
        return draw(st.sampled_from([copied, copied.swapcase(), *said_by_nobody]))

    def items() -> list[JsonValue]:
        return [
            {"text": text(), "quote": text(), "turn": draw(st.integers(-1, 9))}
            for _ in range(draw(st.integers(0, 3)))
        ]

    steps: list[JsonValue] = [text(), text()]
    patterns: list[JsonValue] = [{"name": text()[:100], "steps": steps, "turns": [0, 3]}]
    outcome: JsonObject = {"summary": text(), "status": "failure"}
    return {
        "facts": items(), "user_facts": items(), "patterns": patterns, "outcome": outcome,
    }  # fmt: skip


@given(_TURNS)
def test_by_rules_each_memory_quotes_a_turn_that_it_cites(turns: list[TurnDraft]) -> None:
    _assert_cited(_consolidated(turns, RulesExtractor()))


@given(_TURNS, st.data())
def test_by_a_model_each_memory_quotes_a_turn_that_it_cites(
    turns: list[TurnDraft], data: st.DataObject
) -> None:
    """Whatever it answers: copied, mixed up, or invented."""
    said = [turn.text or "" for turn in turns]

    def answer(_: Prompt) -> str:
        return json.dumps(data.draw(_answers(said)))

    world = World()
    model = ScriptedChat(answer)
    _assert_cited(_consolidated(turns, ModelExtractor([model], clock=world.clock)))


@pytest.mark.parametrize("is_model", [True, False])
def test_something_is_found_where_something_is_said(
    is_model: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    """Else the rules above would hold of nothing."""
    turns = [TurnDraft("user", "My name is Dana."), TurnDraft("user", "I live in Oslo.")]
    answers = [
        json.dumps({"user_facts": ["The user's name is Dana.", "The user lives in Oslo."]})
    ] * 2
    chat = ModelExtractor([ScriptedChat(answers)], clock=World().clock)
    assert _assert_cited(_consolidated(turns, chat if is_model else RulesExtractor())) == 2
