"""Who is asked, in which order, and what is made of what they answer."""

import json

import pytest

from everturn.adapters.scripted_chat import Scripted, ScriptedChat
from everturn.adapters.system_clock import ManualClock
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.extraction.answers.prompt import EXAMPLES, SYSTEM
from everturn.extraction.extractor import Extractor
from everturn.extraction.model_extractor import ModelExtractor
from everturn.ports.chat_model import REFUSED, Completion, Prompt
from extraction.drawn_windows import turn, window

SAID = window(turn(0, "user", "I live in Lisbon. The port is 8081."))
NOTHING = json.dumps({"facts": [], "user_facts": [], "patterns": [], "outcome": None})
GOOD = json.dumps({"facts": ["The port is 8081."], "user_facts": ["The user lives in Lisbon."]})
CUT = '{"facts": ["The port is 8081.", "The us'
AWAY, NOBODY = UnavailableError("away"), MisconfiguredError("no such model")


def _extractor(*scripts: list[Scripted]) -> tuple[ModelExtractor, list[ScriptedChat]]:
    models = [ScriptedChat(script, name=f"m:{number}") for number, script in enumerate(scripts)]
    return ModelExtractor(models, clock=ManualClock()), models


@pytest.mark.parametrize(
    ("first", "second", "result", "name", "calls"),
    [
        (GOOD, GOOD, "ok", "m:0", [1, 0]),
        (NOTHING, GOOD, "ok", "m:0", [1, 0]),
        ("I cannot do that.", GOOD, "ok", "m:1", [1, 1]),
        (CUT, NOTHING, "ok", "m:1", [1, 1]),
        (CUT, "I cannot do that.", "salvaged", "m:0", [1, 1]),
        ("no", CUT, "salvaged", "m:1", [1, 1]),
        ("no", "no", "fail", "m:0", [1, 1]),
        (AWAY, GOOD, "ok", "m:1", [1, 1]),
        (NOBODY, GOOD, "ok", "m:1", [1, 1]),
    ],
)
def test_the_next_model_is_asked_where_one_does_not_do_and_the_best_answer_wins(
    first: Scripted, second: Scripted, result: str, name: str, calls: list[int]
) -> None:
    extractor, models = _extractor([first], [second])
    found = extractor.extract(SAID)

    assert (found.result, found.extractor) == (result, name)
    assert [model.calls for model in models] == calls


@pytest.mark.parametrize(
    ("first", "second", "error"),
    [
        (AWAY, AWAY, UnavailableError), (AWAY, NOBODY, UnavailableError),
        (NOBODY, AWAY, UnavailableError), (NOBODY, NOBODY, MisconfiguredError),
    ],
)  # fmt: skip
def test_where_nobody_answers_that_is_the_error(
    first: Scripted, second: Scripted, error: type[EverturnError]
) -> None:
    """It is final only where it is for all."""
    extractor, _ = _extractor([first], [second])

    with pytest.raises(error):
        extractor.extract(SAID)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (AWAY, "no"), (AWAY, CUT), ("no", AWAY), (CUT, AWAY), (NOBODY, "no"), (CUT, NOBODY),
    ],
)  # fmt: skip
def test_half_an_answer_says_nothing_of_turns_that_somebody_else_may_read(
    first: Scripted, second: Scripted
) -> None:
    """It is paid for all the same."""
    extractor, _ = _extractor([first], [second])
    found = extractor.extract(SAID)

    assert (found.result, found.memories) == ("fail", ())
    assert isinstance(found.unheard, UnavailableError)
    assert found.tokens > 0


def test_what_was_found_cites_its_turns() -> None:
    extractor, _ = _extractor([GOOD])
    found = extractor.extract(SAID)

    said = [(one.draft.statement, one.first_turn, one.quote) for one in found.memories]
    assert said == [
        ("The port is 8081.", 0, "The port is 8081."),
        ("The user lives in Lisbon.", 0, "I live in Lisbon."),
    ]


def test_tokens_of_all_attempts_are_counted() -> None:
    extractor, _ = _extractor([Completion("no", "stop", 700)], [Completion(GOOD, "stop", 50)])

    assert extractor.extract(SAID).tokens == 750


@pytest.mark.parametrize("text", ["", GOOD])
def test_a_prompt_that_is_refused_is_a_failure_whatever_came_with_it(text: str) -> None:
    extractor, _ = _extractor([Completion(text, REFUSED, 3)])
    found = extractor.extract(SAID)

    assert (found.result, found.memories, found.tokens) == ("fail", (), 3)


def test_an_answer_that_was_cut_off_is_not_complete() -> None:
    extractor, _ = _extractor([Completion(GOOD[:-1], "length", 3)])

    assert extractor.extract(SAID).result == "salvaged"


def test_a_part_of_an_answer_of_which_nothing_is_supported_is_a_failure() -> None:
    extractor, _ = _extractor(['{"facts": ["The sky is made of copper.", "The'])
    found = extractor.extract(SAID)

    assert (found.result, found.dropped) == ("fail", {"unsupported": 1})


def test_the_example_of_the_prompt_is_not_found_again() -> None:
    extractor, _ = _extractor([json.dumps({"facts": list(EXAMPLES)})])
    found = extractor.extract(SAID)

    assert (found.result, found.memories) == ("ok", ())
    assert sum(found.dropped.values()) == len(EXAMPLES)


def test_turns_and_instructions_are_sent_apart() -> None:
    extractor, (model,) = _extractor([GOOD])
    extractor.extract(SAID)

    (prompt,) = model.prompts
    assert prompt.system == SYSTEM
    assert (
        prompt.user == "<transcript>\nuser #0: I live in Lisbon. The port is 8081.\n</transcript>"
    )


def test_a_window_without_visible_text_asks_nobody() -> None:
    extractor, (model,) = _extractor([])
    found = extractor.extract(window(turn(0, "assistant", ""), turn(1, "user", " \u200b")))

    assert (found.result, found.memories, found.tokens, model.calls) == ("ok", (), 0, 0)


class _SlowChat:
    """A model that takes all the time that it is given, and notes it."""

    name = "slow:model"

    def __init__(self, clock: ManualClock, asked_s: list[float]) -> None:
        self._clock = clock
        self._asked_s = asked_s

    def complete(self, prompt: Prompt, *, timeout_s: float) -> Completion:
        del prompt
        self._asked_s.append(timeout_s)
        self._clock.sleep(timeout_s)
        raise UnavailableError("no answer in time")


def test_all_models_together_take_no_longer_than_the_deadline() -> None:
    """The first one leaves time for the others."""
    clock, asked_s = ManualClock(), list[float]()
    models = [_SlowChat(clock, asked_s) for _ in range(3)]
    begin_s = clock.monotonic_s()

    with pytest.raises(UnavailableError):
        ModelExtractor(models, clock=clock, deadline_s=60).extract(SAID)

    assert clock.monotonic_s() - begin_s == pytest.approx(60)
    assert asked_s == pytest.approx([36, 14.4, 9.6])


def test_a_model_for_which_there_is_no_time_is_not_asked() -> None:
    """One that would never answer does not make the others final."""
    clock, asked_s = ManualClock(), list[float]()
    models = [_SlowChat(clock, asked_s) for _ in range(9)]

    with pytest.raises(UnavailableError):
        ModelExtractor(models, clock=clock, deadline_s=3).extract(SAID)

    assert len(asked_s) == 2


def test_for_want_of_time_half_an_answer_is_an_error_too() -> None:
    clock = ManualClock()

    def answer(_: Prompt) -> str:
        clock.sleep(59.5)
        return "no"

    models = [ScriptedChat(answer), ScriptedChat([GOOD])]
    found = ModelExtractor(models, clock=clock).extract(SAID)

    assert "no time" in str(found.unheard)
    assert models[1].calls == 0


def test_a_turn_whose_middle_was_not_read_is_counted() -> None:
    extractor, _ = _extractor([NOTHING])
    huge = window(turn(0, "user", "word " * 40_000))

    assert extractor.extract(huge).dropped == {"cut": 1}


def test_whether_it_works_is_told_within_fifteen_seconds() -> None:
    clock, asked_s = ManualClock(), list[float]()
    models = [_SlowChat(clock, asked_s) for _ in range(2)]

    with pytest.raises(UnavailableError):
        ModelExtractor(models, clock=clock).works()

    assert sum(asked_s) == pytest.approx(15)


@pytest.mark.parametrize(
    ("answer", "works"), [(NOTHING, True), ("no", False), ('{"facts": ["Hel', False)]
)
def test_it_works_where_a_harmless_window_is_read(
    answer: str,
    works: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    extractor, (model,) = _extractor([answer])

    assert extractor.works() is works
    assert "user #0: Hello.\nassistant #1: Hello!" in model.prompts[0].user


def test_it_works_where_a_part_of_an_answer_can_be_used() -> None:
    extractor, _ = _extractor(['{"facts": ["Hello.", "The us'])

    assert extractor.works()


@pytest.mark.parametrize("scripts", [[AWAY], [AWAY, "no"], ["no", AWAY]])
def test_whether_it_works_is_not_known_where_not_all_answer(scripts: list[Scripted]) -> None:
    extractor, _ = _extractor(*([script] for script in scripts))

    with pytest.raises(UnavailableError):
        extractor.works()


def test_it_is_named_after_the_model_that_is_asked_first_and_costs_tokens() -> None:
    extractor: Extractor = _extractor([GOOD], [GOOD])[0]

    assert (extractor.name, extractor.costs_tokens) == ("m:0", True)


def test_it_reads_as_much_at_once_as_fits_its_prompt() -> None:
    whole = window(*(turn(index, "user", "word " * 600) for index in range(40)))
    extractor = ModelExtractor([ScriptedChat([])], clock=ManualClock())

    assert extractor.fitting(whole).size == 9
