"""The chat model over OpenAI's API: what it sends, and what it learns from refusals."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from adapters.http.chat_calls import KEY, asking, opened, plain_transport
from emulation.chat_service import ChatService, Reply, in_order, refused, said
from everturn.adapters.http.chat import HttpChat
from everturn.adapters.system_clock import ManualClock
from everturn.errors import UnavailableError
from everturn.ports.chat_model import Completion
from ports.chat_model_contract import PRIVATE, PROMPT, ChatModelContract

NO_JSON_MODE: Reply = (400, {}, {"error": "'response_format.type' must be 'json_schema' or 'text'"})
NO_JSON_FIELD: Reply = (
    422,
    {},
    {"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]},
)
SILENT: Reply = (400, {}, {"error": {"message": "Bad Request", "code": "400"}})
NO_LIMIT = refused(
    400,
    {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model."
        " Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    },
)
NO_TEMPERATURE = refused(
    400,
    {
        "message": "Unsupported value: 'temperature' does not support 0 with this model."
        " Only the default (1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    },
)
FILTERED = refused(400, {"message": f"blocked: {PRIVATE}", "code": "content_filter"})


class Told:
    """Texts by server, three of which stand for what goes wrong."""

    refused, away, denied = "refused!", "away!", "denied!"

    def __init__(
        self, service: ChatService, clock: ManualClock, transport: httpx.BaseTransport
    ) -> None:
        self._service = service
        self._clock = clock
        self._transport = transport

    def __call__(self, *answers: str) -> HttpChat:
        wrong: dict[str, Reply] = {
            self.refused: FILTERED,
            self.away: (500, {}, PRIVATE),
            self.denied: refused(401, {"message": PRIVATE}),
        }
        self._service.answer = in_order([wrong.get(text, said(text)) for text in answers])
        return opened(self._service.url, clock=self._clock, transport=self._transport)


class TestHttpChat(ChatModelContract):
    @pytest.fixture
    def service(self) -> Iterator[ChatService]:
        with ChatService(lambda _: said("")) as service:
            yield service

    @pytest.fixture
    def told(self, service: ChatService) -> Iterator[Told]:
        with plain_transport() as transport:
            yield Told(service, ManualClock(), transport)

    @pytest.fixture
    def asked(self, service: ChatService) -> Callable[[], int]:
        return lambda: len(service.bodies)


def test_a_request_is_what_the_api_describes() -> None:
    with asking(lambda _: said("{}")) as (model, service):
        model.complete(PROMPT, timeout_s=60)
    assert model.name == "gateway:small"
    assert service.paths == ["/v1/chat/completions"]
    assert service.bodies == [
        {
            "model": "small",
            "messages": [
                {"role": "system", "content": PROMPT.system},
                {"role": "user", "content": PROMPT.user},
            ],
            "max_tokens": 800,
            "temperature": 0,
            "response_format": {"type": "json_object"},
        }
    ]
    [headers] = service.headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["x-team"] == "agents"
    assert headers["content-type"] == "application/json"
    assert headers["accept-encoding"] == "identity"


def test_without_a_key_no_authorization_is_sent() -> None:
    with asking(lambda _: said("{}"), key="") as (model, service):
        model.complete(PROMPT, timeout_s=60)
    assert "authorization" not in service.headers[0]


def without(*refusals: tuple[str, Reply]) -> Callable[[dict[str, Any]], Reply]:
    """A server that refuses each of these parts, one at a time, in this order."""

    def answer(body: dict[str, Any]) -> Reply:
        return next((reply for part, reply in refusals if part in body), said("{}"))

    return answer


@pytest.mark.parametrize("reply", [NO_JSON_MODE, NO_JSON_FIELD, SILENT, (400, {}, "<html>")])
def test_json_mode_is_left_out_for_good_where_it_is_refused(reply: Reply) -> None:
    with asking(without(("response_format", reply))) as (model, service):
        texts = [model.complete(PROMPT, timeout_s=60).text for _ in range(3)]
    assert texts == ["{}"] * 3
    assert ["response_format" in body for body in service.bodies] == [True, False, False, False]


def test_the_newer_name_of_the_limit_is_learnt_once() -> None:
    with asking(without(("max_tokens", NO_LIMIT))) as (model, service):
        for _ in range(2):
            model.complete(PROMPT, timeout_s=60)
    limits = [
        (body.get("max_tokens"), body.get("max_completion_tokens")) for body in service.bodies
    ]
    assert limits == [(800, None), (None, 800), (None, 800)]


def test_a_model_that_samples_as_it_likes_is_asked_without_a_temperature() -> None:
    with asking(without(("temperature", NO_TEMPERATURE))) as (model, service):
        for _ in range(2):
            model.complete(PROMPT, timeout_s=60)
    assert [body.get("temperature") for body in service.bodies] == [0, None, None]


def test_a_model_may_refuse_one_part_after_the_other() -> None:
    parts = [("max_tokens", NO_LIMIT), ("temperature", NO_TEMPERATURE),
             ("response_format", NO_JSON_MODE)]  # fmt: skip
    with asking(without(*parts)) as (model, service):
        for _ in range(2):
            assert model.complete(PROMPT, timeout_s=60).text == "{}"
    assert len(service.bodies) == 5
    assert set(service.bodies[-1]) == {"model", "messages", "max_completion_tokens"}


@pytest.mark.parametrize(("reply", "requests"), [
    (FILTERED, 1),
    (refused(400, {"code": "context_length_exceeded", "param": "max_tokens"}), 1),
    (refused(403, {"code": 403, "metadata": {"flagged_input": PRIVATE}}), 1),
    ((413, {}, ""), 1),
    (SILENT, 2),
    (refused(422, {"message": f"{PRIVATE} max_tokens temperature"}), 4),
])  # fmt: skip
def test_a_refused_prompt_costs_few_requests_and_teaches_nothing(
    reply: Reply, requests: int
) -> None:
    """A refusal may quote the prompt, and so name any part."""
    with asking(in_order([*[reply] * requests, said("{}")])) as (model, service):
        assert model.complete(PROMPT, timeout_s=60) == Completion("", "refused", 0)
        assert len(service.bodies) == requests
        model.complete(PROMPT, timeout_s=60)
    assert {"max_tokens", "temperature", "response_format"} <= set(service.bodies[-1])


def test_once_it_was_answered_a_silent_refusal_is_for_the_prompt() -> None:
    with asking(in_order([said("{}"), SILENT])) as (model, service):
        model.complete(PROMPT, timeout_s=60)
        assert model.complete(PROMPT, timeout_s=60).finish_reason == "refused"
    assert len(service.bodies) == 2


def test_a_part_is_not_left_out_for_good_where_nobody_answers_without_it() -> None:
    replies = [NO_JSON_MODE, *[(503, {}, "")] * 3, said("{}")]
    with asking(in_order(replies)) as (model, service):
        with pytest.raises(UnavailableError, match="status=503"):
            model.complete(PROMPT, timeout_s=60)
        model.complete(PROMPT, timeout_s=60)
    assert ["response_format" in body for body in service.bodies] == [True, *[False] * 3, True]
