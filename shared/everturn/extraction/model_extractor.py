"""Extraction by models: the first is asked first, the others where it does not do."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from everturn.conversations.model.extraction_window import Window
from everturn.conversations.model.turn import Turn
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.extraction.answers.findings import Findings, Result
from everturn.extraction.answers.parse_answer import parse_extraction
from everturn.extraction.answers.prompt import (
    EXAMPLES,
    MAX_ANSWER_TOKENS,
    ExtractionPrompt,
    extraction_prompt,
    fitting,
)
from everturn.extraction.answers.transcript_turn import shown_turns
from everturn.extraction.grounding.citations import cited
from everturn.ports.chat_model import REFUSED, ChatModel, Completion, Prompt
from everturn.ports.clock import Clock

CUT: Final = "cut"
"""Counts the turns that are too long for a prompt: what stands in their middle was not read."""

_WORTH: Final[dict[Result, int]] = {"fail": 0, "salvaged": 1, "ok": 2}
# The first may take this part of the time that is left, so that the next has some.
_PART_OF_TIME: Final = 0.6
# In less nobody answers.
_LEAST_S: Final = 1.0
# Two words are read quickly, or not at all: the window itself has had its time before.
_HELLO_S: Final = 15.0

_HELLO: Final = Window(
    "",
    0,
    (Turn(0, "user", "Hello.", None, {}), Turn(1, "assistant", "Hello!", None, {})),
    2,
)


_Failure = UnavailableError | MisconfiguredError


class _Heard(NamedTuple):
    """What models found, in their order, and why others did not."""

    found: list[Findings]
    failures: list[_Failure]


class ModelExtractor:
    """Asks models in their order until one gives a whole answer; keeps nothing."""

    def __init__(
        self,
        models: Sequence[ChatModel],
        *,
        clock: Clock,
        deadline_s: float = 60.0,
    ) -> None:
        """Take at least one model, and how long all of them may take together for one window."""
        self._models = models
        self._clock = clock
        self._deadline_s = deadline_s

    @property
    def name(self) -> str:
        """The name of the model that is asked first."""
        return self._models[0].name

    @property
    def costs_tokens(self) -> bool:
        """Whether somebody pays for each window."""
        return True

    def fitting(self, window: Window) -> Window:
        """Return the longest beginning of a window that fits one prompt; one turn always does."""
        return fitting(window)

    def extract(self, window: Window) -> Findings:
        """Ask about a window that `fitting` gave; a window without visible text asks nobody.

        Where one model has not answered, what another could not read whole says nothing of the
        turns: the one that was not heard may read them.

        Returns:
            The best answer, the first of several as good; `tokens` are those of all of them. With
            no whole answer and somebody who did not answer, `unheard` says why.

        Raises:
            UnavailableError: nobody answered in time; the same call may succeed later.
            MisconfiguredError: nobody ever will: no such model, or no permission.
        """
        prompt = extraction_prompt(window)
        if not prompt.shown:
            return Findings("ok", extractor=self.name)
        heard = self._heard(prompt, window.context, self._deadline_s)
        best = max(heard.found, key=_worth, default=None)
        if best is None:
            raise _told(heard.failures, len(self._models))
        tokens = sum(one.tokens for one in heard.found)
        if heard.failures and best.result != "ok":
            unheard = _told(heard.failures, len(self._models))
            return Findings("fail", extractor=best.extractor, tokens=tokens, unheard=unheard)
        dropped = Counter(best.dropped) + Counter(_cut(prompt))
        return replace(best, dropped=dict(dropped), tokens=tokens)

    def works(self) -> bool:
        """Say whether any of the models answers usably about two harmless turns.

        It takes 15 seconds at most, and its some thousand tokens are counted nowhere.

        Raises:
            UnavailableError, MisconfiguredError: as `extract`.
        """
        heard = self._heard(extraction_prompt(_HELLO), (), _HELLO_S)
        if any(one.result != "fail" for one in heard.found):
            return True
        if heard.failures:
            raise _told(heard.failures, len(self._models))
        return False

    def _heard(
        self, prompt: ExtractionPrompt, context: Sequence[Turn], deadline_s: float
    ) -> _Heard:
        """Ask the models, up to the first that finds all."""
        asked = Prompt(prompt.system, prompt.user, MAX_ANSWER_TOKENS)
        heard = _Heard([], [])
        for model, timeout_s in self._in_time(deadline_s):
            if timeout_s <= 0:
                heard.failures.append(UnavailableError("no time for a model"))
                continue
            try:
                completion = model.complete(asked, timeout_s=timeout_s)
            except (UnavailableError, MisconfiguredError) as error:
                heard.failures.append(error)
                continue
            heard.found.append(_findings(completion, prompt, context, model.name))
            if heard.found[-1].result == "ok":
                break
        return heard

    def _in_time(self, deadline_s: float) -> Iterator[tuple[ChatModel, float]]:
        """Yield the models and how many seconds each may take; 0 where too few are left."""
        ends_s = self._clock.monotonic_s() + deadline_s
        for number, model in enumerate(self._models, 1):
            left_s = ends_s - self._clock.monotonic_s()
            part = 1.0 if number == len(self._models) else _PART_OF_TIME
            yield model, left_s * part if left_s >= _LEAST_S else 0.0


def _worth(found: Findings) -> int:
    return _WORTH[found.result]


def _cut(prompt: ExtractionPrompt) -> dict[str, int]:
    """Count the turns of which the middle was not read."""
    cut = sum(one.cut_before is not None for one in prompt.shown)
    return {CUT: cut} if cut else {}


def _told(failures: Sequence[_Failure], models: int) -> _Failure:
    """Return what to tell where not all answered: whether one of them may do so later."""
    away = [failure for failure in failures if isinstance(failure, UnavailableError)]
    if away:
        return away[-1]
    if len(failures) == models:
        return failures[-1]
    return UnavailableError("one of the models cannot be asked, and no other does")


def _findings(
    completion: Completion, prompt: ExtractionPrompt, context: Sequence[Turn], name: str
) -> Findings:
    """Return what of an answer becomes memories."""
    if completion.finish_reason == REFUSED:
        return Findings("fail", extractor=name, tokens=completion.tokens)
    found = parse_extraction(
        completion.text,
        finish_reason=completion.finish_reason,
        transcript=prompt.user,
        examples=EXAMPLES,
    )
    memories, dropped = cited(found, prompt.shown, shown_turns(context))
    result: Result = found.result
    if result == "salvaged" and not memories:
        result = "fail"
    counts = Counter(found.dropped) + Counter(dropped)
    return Findings(result, memories, dict(counts), name, completion.tokens)
