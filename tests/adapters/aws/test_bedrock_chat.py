"""The chat models of Bedrock: what is sent, what is made of answers, and what a refusal teaches."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ReadTimeoutError
from botocore.stub import Stubber

from emulation.converse_service import ConverseService, Reply, conversed, denied
from everturn.adapters.aws import bedrock_chat
from everturn.adapters.aws.bedrock_chat import BedrockChat
from everturn.adapters.system_clock import ManualClock, SeededEntropy, SystemClock
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.ports.chat_model import Completion, Prompt
from ports.chat_model_contract import PRIVATE, PROMPT, ChatModelContract

MODEL = "eu.amazon.nova-lite-v1:0"
NO_SYSTEM = denied(400, "ValidationException", "This model doesn't support system messages.")
NO_TEMPERATURE = denied(400, "ValidationException", "`temperature` is deprecated for this model.")
BAD = denied(400, "ValidationException", f"input is too long: {PRIVATE}")


@pytest.fixture(scope="module")
def shared_service() -> ConverseService:
    return ConverseService(lambda _: conversed(""))


@pytest.fixture
def service(shared_service: ConverseService) -> ConverseService:
    """A client costs 50 ms to make, so that all tests share one."""
    shared_service.bodies.clear()
    shared_service.urls.clear()
    shared_service.answer = lambda _: conversed("{}")
    return shared_service


def opened(service: ConverseService, clock: ManualClock | SystemClock | None = None) -> BedrockChat:
    return BedrockChat(
        MODEL, clock=clock or ManualClock(), entropy=SeededEntropy(), client=service.client
    )


class Told:
    """Texts by Converse, three of which stand for what goes wrong."""

    refused, away, denied = "refused!", "away!", "denied!"

    def __init__(self, service: ConverseService) -> None:
        self._service = service

    def __call__(self, *answers: str) -> BedrockChat:
        wrong: dict[str, Reply] = {
            self.refused: BAD,
            self.away: denied(503, "ServiceUnavailableException", PRIVATE),
            self.denied: denied(403, "AccessDeniedException", PRIVATE),
        }
        replies = iter([wrong.get(text, conversed(text)) for text in answers])
        self._service.answer = lambda _: next(replies)
        return opened(self._service)


class TestBedrockChat(ChatModelContract):
    @pytest.fixture
    def told(self, service: ConverseService) -> Told:
        return Told(service)

    @pytest.fixture
    def asked(self, service: ConverseService) -> Callable[[], int]:
        return lambda: len(service.bodies)


def test_a_request_is_what_converse_describes(service: ConverseService) -> None:
    model = opened(service)
    model.complete(PROMPT, timeout_s=60)
    assert model.name == f"bedrock:{MODEL}"
    assert service.urls[0].endswith("/model/eu.amazon.nova-lite-v1%3A0/converse")
    assert service.bodies == [
        {
            "messages": [{"role": "user", "content": [{"text": PROMPT.user}]}],
            "system": [{"text": PROMPT.system}],
            "inferenceConfig": {"maxTokens": 800, "temperature": 0},
        }
    ]


def test_the_sdk_itself_finds_the_request_and_the_answer_well_formed(
    service: ConverseService,
) -> None:
    with Stubber(service.client) as stubber:
        answer: dict[str, Any] = {
            "output": {"message": {"role": "assistant", "content": [{"text": "{}"}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 30, "outputTokens": 12, "totalTokens": 42},
            "metrics": {"latencyMs": 5},
        }
        stubber.add_response("converse", answer)
        assert opened(service).complete(PROMPT, timeout_s=60) == Completion("{}", "end_turn", 42)
        stubber.assert_no_pending_responses()


THOUGHT = {"reasoningContent": {"reasoningText": {"text": "The user says {}"}}}


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (conversed(THOUGHT, "{}"), Completion("{}", "end_turn", 42)),
        (
            conversed('{"a"', ":1}", stop_reason="max_tokens"),
            Completion('{"a":1}', "max_tokens", 42),
        ),
        (conversed(THOUGHT, stop_reason="max_tokens"), Completion("", "max_tokens", 42)),
        (conversed(stop_reason="content_filtered"), Completion("", "refused", 42)),
        (conversed(stop_reason="guardrail_intervened"), Completion("", "refused", 42)),
        (
            conversed("{", stop_reason="guardrail_intervened"),
            Completion("{", "guardrail_intervened", 42),
        ),
        (conversed("12345678", usage=None), Completion("12345678", "end_turn", 5)),
        ((200, "", {}), Completion("", None, 3)),
    ],
)
def test_an_answer_is_its_texts_and_its_reason(
    service: ConverseService, reply: Reply, found: Completion
) -> None:
    service.answer = lambda _: reply
    assert opened(service).complete(Prompt("12345678", "1234", 9), timeout_s=60) == found


def refusing(*refusals: tuple[Callable[[dict[str, Any]], bool], Reply]) -> Any:  # noqa: ANN401
    return lambda body: next((r for has, r in refusals if has(body)), conversed("{}"))


def has_system(body: dict[str, Any]) -> bool:
    return "system" in body


def has_temperature(body: dict[str, Any]) -> bool:
    return "temperature" in body["inferenceConfig"]


def test_a_model_without_system_messages_gets_them_in_the_other(service: ConverseService) -> None:
    service.answer = refusing((has_system, NO_SYSTEM))
    model = opened(service)
    for _ in range(2):
        assert model.complete(PROMPT, timeout_s=60).text == "{}"
    assert [has_system(body) for body in service.bodies] == [True, False, False]
    [content] = service.bodies[-1]["messages"][0]["content"]
    assert content == {"text": f"{PROMPT.system}\n\n{PROMPT.user}"}


def test_a_model_may_refuse_one_part_after_the_other(service: ConverseService) -> None:
    service.answer = refusing((has_temperature, NO_TEMPERATURE), (has_system, NO_SYSTEM))
    model = opened(service)
    for _ in range(2):
        assert model.complete(PROMPT, timeout_s=60).text == "{}"
    assert len(service.bodies) == 4
    assert service.bodies[-1]["inferenceConfig"] == {"maxTokens": 800}


@pytest.mark.parametrize(
    "reply",
    [
        BAD,
        denied(413, "", PRIVATE),
        denied(424, "ModelErrorException", PRIVATE),
        denied(400, "ValidationException", f"{PRIVATE} support system messages, temperature"),
    ],
)
def test_a_refused_prompt_teaches_nothing(service: ConverseService, reply: Reply) -> None:
    service.answer = lambda _: reply
    model = opened(service)
    assert model.complete(PROMPT, timeout_s=60) == Completion("", "refused", 0)
    service.answer = lambda _: conversed("{}")
    model.complete(PROMPT, timeout_s=60)
    assert has_system(service.bodies[-1])
    assert has_temperature(service.bodies[-1])


@pytest.mark.parametrize(
    ("reply", "raised", "tries"),
    [
        (denied(429, "ThrottlingException", PRIVATE), UnavailableError, 3),
        (denied(500, "InternalServerException", PRIVATE), UnavailableError, 3),
        (denied(408, "ModelTimeoutException", PRIVATE), UnavailableError, 3),
        (denied(429, "ModelNotReadyException", PRIVATE), UnavailableError, 3),
        (EndpointConnectionError(endpoint_url=PRIVATE), UnavailableError, 3),
        (ReadTimeoutError(endpoint_url=PRIVATE), UnavailableError, 3),
        (NoCredentialsError(), MisconfiguredError, 1),
        (denied(403, "AccessDeniedException", PRIVATE), MisconfiguredError, 1),
        (denied(404, "ResourceNotFoundException", PRIVATE), MisconfiguredError, 1),
        (
            denied(400, "ValidationException", "The provided model identifier is invalid."),
            MisconfiguredError,
            1,
        ),
        (
            denied(
                400,
                "ValidationException",
                "Invocation of model ID x with on-demand throughput isn\u2019t supported.",
            ),
            MisconfiguredError,
            1,
        ),
    ],
    ids=range(11),
)
def test_what_may_pass_is_tried_three_times_and_the_rest_once(
    service: ConverseService, reply: Reply, raised: type[EverturnError], tries: int
) -> None:
    service.answer = lambda _: reply
    with pytest.raises(raised) as caught:
        opened(service).complete(PROMPT, timeout_s=60)
    assert PRIVATE not in str(caught.value)
    assert len(service.bodies) == tries


def test_a_call_ends_in_time_however_long_the_sdk_waits(service: ConverseService) -> None:
    free = threading.Event()

    def hanging(_: dict[str, Any]) -> Reply:
        free.wait()
        return conversed("{}")

    service.answer = hanging
    # It hangs until the test lets it go: who waits for it does so for ever.
    with pytest.raises(UnavailableError, match="no answer in time"):
        opened(service, SystemClock()).complete(PROMPT, timeout_s=0.3)
    free.set()


def test_a_try_gets_its_share_of_the_time(
    service: ConverseService, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries_s: list[float] = []

    def watched(act: Callable[[], Completion], timeout_s: float) -> Completion:
        tries_s.append(timeout_s)
        return act()

    monkeypatch.setattr(bedrock_chat, "in_time", watched)
    service.answer = lambda _: conversed("{}")
    opened(service).complete(PROMPT, timeout_s=60)
    assert tries_s == [pytest.approx(40)]


def test_a_model_without_a_region_is_a_matter_of_the_deployment_once_it_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    model = BedrockChat(MODEL, clock=ManualClock(), entropy=SeededEntropy())
    with pytest.raises(MisconfiguredError, match="NoRegionError"):
        model.complete(PROMPT, timeout_s=60)
