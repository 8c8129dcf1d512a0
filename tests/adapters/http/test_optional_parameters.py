"""What a chat model is asked without, as its refusals teach it."""

import pytest

from everturn.adapters.http.optional_parameters import OptionalParts, PartsRefusedError
from everturn.adapters.http.service_retries import TextsRefusedError
from everturn.errors import UnavailableError
from everturn.ports.chat_model import Completion

FINE = Completion("{}", "stop", 3)
REFUSED = Completion("", "refused", 0)


class Service:
    """Refuses these parts, all at once or naming nothing, and keeps what it was asked without."""

    def __init__(self, *refuses: str, names: tuple[str, ...] | None = None) -> None:
        self.refuses = set(refuses)
        self.names = names
        self.asked: list[frozenset[str]] = []

    def once(self, left_out: frozenset[str]) -> Completion:
        self.asked.append(left_out)
        refused = sorted(self.refuses - left_out)
        if refused:
            raise PartsRefusedError(
                "no", parts=tuple(refused) if self.names is None else self.names
            )
        return FINE


def test_what_is_refused_is_left_out_from_then_on() -> None:
    parts, service = OptionalParts(), Service("a", "b")
    assert parts.completion(service.once) == parts.completion(service.once) == FINE
    assert service.asked == [frozenset(), {"a"}, {"a", "b"}, {"a", "b"}]


def test_a_prompt_that_is_refused_without_any_part_teaches_nothing() -> None:
    parts, service = OptionalParts(doubtful="c"), Service("prompt", names=("a", "b"))
    assert parts.completion(service.once) == REFUSED
    assert service.asked == [frozenset(), {"a"}, {"a", "b"}, {"a", "b", "c"}]
    service.refuses.clear()
    assert parts.completion(service.once) == FINE
    assert service.asked[-1] == frozenset()


def test_the_doubtful_part_is_suspected_until_a_request_was_answered() -> None:
    parts, service = OptionalParts(doubtful="c"), Service("c", names=())
    assert parts.completion(service.once) == FINE
    assert service.asked == [frozenset(), {"c"}]
    parts, service = OptionalParts(doubtful="c"), Service(names=())
    parts.completion(service.once)
    service.refuses.add("c")
    assert parts.completion(service.once) == REFUSED
    assert service.asked == [frozenset(), frozenset()]


def test_a_refusal_that_is_known_to_be_for_the_texts_is_asked_once() -> None:
    asked = []

    def once(left_out: frozenset[str]) -> Completion:
        asked.append(left_out)
        raise TextsRefusedError("too long")

    assert OptionalParts(doubtful="c").completion(once) == REFUSED
    assert len(asked) == 1


def test_other_failures_pass_and_teach_nothing() -> None:
    parts = OptionalParts()
    asked = []

    def once(left_out: frozenset[str]) -> Completion:
        asked.append(left_out)
        if not left_out:
            raise PartsRefusedError("no", parts=("a",))
        raise UnavailableError("away")

    for _ in range(2):
        with pytest.raises(UnavailableError):
            parts.completion(once)
    assert asked == [frozenset(), {"a"}] * 2
