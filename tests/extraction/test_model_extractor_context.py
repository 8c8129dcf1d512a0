"""What a model read of the turns before a window is in no memory of the window."""

import json

from everturn.adapters.scripted_chat import ScriptedChat
from everturn.adapters.system_clock import ManualClock
from everturn.extraction.model_extractor import ModelExtractor
from extraction.drawn_windows import turn, window


def test_words_of_the_turns_before_make_no_memory_of_others() -> None:
    text, takes = "The user, diagnosed with schizophrenia, takes ibuprofen.", "I take ibuprofen"
    answer = json.dumps({"user_facts": [{"text": text, "turn": 1, "quote": takes}]})
    before = turn(0, "user", "I was diagnosed with schizophrenia.")
    extractor = ModelExtractor([ScriptedChat([answer, answer])], clock=ManualClock())

    alone = extractor.extract(window(turn(1, "user", takes), context=(before,)))
    assert (alone.memories, dict(alone.dropped)) == ((), {"unsupported": 1})
    both = extractor.extract(window(before, turn(1, "user", takes)))
    assert [(one.first_turn, one.last_turn) for one in both.memories] == [(0, 1)]
