"""Cases of one consolidation: what a model answers about turns, and what is remembered after it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cases.adapter import TENANT
from cases.case import Case
from cases.words import turn_of
from everturn.adapters.scripted_chat import ScriptedChat
from everturn.consolidation.consolidate_conversation import consolidate
from everturn.consolidation.outcome import Consolidated
from everturn.extraction.answers.parse_answer import parse_extraction
from everturn.extraction.model_extractor import ModelExtractor
from everturn.storage.budget import Budget
from everturn.values.keys import Scope
from functions.house import House, Json
from functions.remembered import MEMORIES, remember

_USER: Final = "user-a"


@dataclass(frozen=True, slots=True)
class _Ended:
    """A consolidation that is over."""

    user: House
    done: Consolidated
    existing: list[str]

    def memories(self) -> list[Json]:
        memories: list[Json] = self.user.read(MEMORIES, limit=1_000)["memories"]
        return memories

    def statements(self) -> list[str]:
        return [memory["statement"] for memory in self.memories()]


def probe_consolidate(house: House, case: Case) -> None:
    """Consolidate the turns of a case, whose model answers what the case says."""
    given, asked = case["input"], case["check"]
    user = house.acting_as(_USER, TENANT)
    existing: list[str] = given.get("existing", [])
    for statement in existing:
        remember(user, statement)
    response = user.append_turns("c1", _turns(given))
    assert response.is_success, response.text
    model = ScriptedChat(lambda _: given["llm_output"])
    done = _consolidate(house, model)
    assert (done.turns, done.behind) == (response.json()["turn_count"], False)
    # What nobody can see is no question.
    assert bool(model.calls) == any(text.strip() for text in user.texts())
    for word, wanted in asked.items():
        _CHECKS[word](_Ended(user, done, existing), wanted)


def says(raw: str) -> list[str]:
    """Return all that an answer of a model states, for turns that say the same."""
    found = parse_extraction(raw)
    steps = [str(text) for pattern in found.patterns for text in _texts(pattern)]
    return [*found.facts, *found.user_facts, *steps, *_texts(found.outcome["summary"])]


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) and value else []


def _turns(given: Case) -> list[Json]:
    if "conversation" in given:
        return [turn_of(message) for message in given["conversation"]["messages"]]
    texts = [given["transcript"]] if "transcript" in given else says(given["llm_output"])
    return [{"role": "user", "text": text} for text in texts]


def _consolidate(house: House, model: ScriptedChat) -> Consolidated:
    parts = house.parts
    return consolidate(
        store=parts.data,
        derived=parts.derived,
        clock=parts.clock,
        entropy=parts.entropy,
        scope=Scope(TENANT, _USER),
        conversation_id="c1",
        extractor=ModelExtractor([model], clock=parts.clock),
        budget=Budget(clock=parts.clock, seconds=60),
    )


def _no_crash(ended: _Ended, _: object) -> None:
    assert not ended.done.quarantined


def _stored_count(ended: _Ended, wanted: int) -> None:
    assert len(ended.memories()) == wanted


def _active_count(ended: _Ended, wanted: int) -> None:
    active = [memory for memory in ended.memories() if not memory.get("superseded_by")]
    assert len(active) == wanted
    assert len({memory["statement"] for memory in active}) == wanted


def _stored_include(ended: _Ended, wanted: list[str]) -> None:
    """Those that were there before stay, too."""
    assert sorted(ended.statements()) == sorted({*wanted, *ended.existing})


_CHECKS: Final[dict[str, Callable[[_Ended, Any], None]]] = {
    "active_count": _active_count,
    "no_crash": _no_crash,
    "stored_count": _stored_count,
    "stored_include": _stored_include,
}
