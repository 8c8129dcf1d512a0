"""An embedder over a service: texts in several requests, refusals, tries, and their bounds."""

from typing import Any

import httpx
import pytest

from adapters.http.http_calls import FAILURES, again, opened
from emulation.embeddings_service import EmbeddingsService
from everturn.adapters.http.embedder import LIMITS
from everturn.adapters.http.remote_embedder import RemoteEmbedder
from everturn.adapters.system_clock import ManualClock
from everturn.errors import MisconfiguredError, UnavailableError
from ports.embedder_contract import checked


@pytest.fixture
def service() -> EmbeddingsService:
    return EmbeddingsService()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def embedder(service: EmbeddingsService, clock: ManualClock) -> RemoteEmbedder:
    made = opened(service, clock)
    service.forget()
    return made


def test_more_texts_or_bytes_than_a_request_holds_go_in_several(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    texts = [f"{number} " + "x" * 20_000 for number in range(LIMITS.max_texts)]
    checked(embedder.embed(texts, purpose="passage"), len(texts), embedder)
    assert [text for sent in service.texts for text in sent] == texts
    sizes = [sum(len(text.encode()) for text in sent) for sent in service.texts]
    assert len(sizes) > 1
    assert max(sizes) <= LIMITS.max_request_bytes


@pytest.mark.parametrize("word", ["word ", "\u4f60", "\U0001f600"])
def test_a_long_text_is_cut_between_two_characters(
    service: EmbeddingsService, embedder: RemoteEmbedder, word: str
) -> None:
    text = word * 100_000
    embedder.embed([text], purpose="passage")
    [[sent]] = service.texts
    assert LIMITS.max_text_bytes - 4 < len(sent.encode()) <= LIMITS.max_text_bytes
    assert text.startswith(sent)


def test_a_text_without_a_visible_character_is_not_sent(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    vectors = embedder.embed(["\0", "a", "  "], purpose="passage")
    assert service.texts == [["a"]]
    assert vectors.any(axis=1).tolist() == [False, True, False]


@pytest.mark.parametrize("status", [400, 413, 422])
@pytest.mark.parametrize("bad", [0, 13, 31])
def test_a_refused_batch_is_halved_until_one_text_is_left_out(
    service: EmbeddingsService, embedder: RemoteEmbedder, status: int, bad: int
) -> None:
    texts = [f"text {number}" for number in range(32)]
    service.refusal = status
    service.refuses = lambda text: text == texts[bad]
    vectors = embedder.embed(texts, purpose="passage")
    assert vectors.any(axis=1).tolist() == [number != bad for number in range(32)]
    # Down to one text and both halves on the way, and maybe a look at the service itself.
    assert len(service.requests) <= 12


def test_a_service_that_takes_fewer_texts_gets_fewer(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    service.max_texts = 10
    vectors = embedder.embed([f"text {number}" for number in range(32)], purpose="passage")
    assert vectors.any(axis=1).all()
    assert [len(sent) for sent in service.texts] == [32, 16, 8, 8, 16, 8, 8]


def test_a_text_that_is_too_long_for_its_model_is_shortened(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    text = "many words " * 2_000
    service.refuses = lambda sent: len(sent) > 2_000
    vectors = embedder.embed(["short", text], purpose="passage")
    assert vectors.any(axis=1).all()
    sent = service.texts[-1][0]
    assert 200 <= len(sent) <= 2_000
    assert text.startswith(sent)


def test_refusals_are_bounded(service: EmbeddingsService, embedder: RemoteEmbedder) -> None:
    """What is left then has zeros: it may be tried again with the next texts."""
    texts = [f"text {number}" for number in range(32)]
    service.refuses = lambda text: text.startswith("text") and text != "text 0"
    vectors = embedder.embed(texts, purpose="passage")
    assert vectors.any(axis=1).sum() == 1
    assert len(service.requests) < 60


def test_a_service_that_refuses_everything_is_unavailable(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    """A gateway whose budget is used up says 400 to all: no text is left without a vector."""
    service.refuses = lambda _: True
    with pytest.raises(UnavailableError, match="refuses every text"):
        embedder.embed([f"text {number}" for number in range(32)], purpose="passage")
    assert len(service.requests) <= 7


@pytest.mark.parametrize("failure", FAILURES, ids=repr)
def test_what_may_pass_is_tried_three_times(
    service: EmbeddingsService,
    embedder: RemoteEmbedder,
    clock: ManualClock,
    failure: httpx.Response | Exception,
) -> None:
    began = clock.monotonic_s()
    service.planned = [again(failure), again(failure)]
    assert embedder.embed(["a"], purpose="query").any()
    assert len(service.requests) == 3
    assert 0 < clock.monotonic_s() - began <= 4
    service.planned = [again(failure) for _ in range(9)]
    with pytest.raises(UnavailableError):
        embedder.embed(["a"], purpose="query")
    assert len(service.requests) == 6


def test_waits_have_full_jitter_and_are_short(
    service: EmbeddingsService, embedder: RemoteEmbedder, clock: ManualClock
) -> None:
    waits = set()
    for _ in range(20):
        began = clock.monotonic_s()
        service.planned = [httpx.Response(503)]
        embedder.embed(["a"], purpose="query")
        waits.add(round(clock.monotonic_s() - began, 6))
    assert len(waits) > 10
    assert max(waits) <= 0.25


def test_retry_after_is_waited_for(
    service: EmbeddingsService, embedder: RemoteEmbedder, clock: ManualClock
) -> None:
    began = clock.monotonic_s()
    service.planned = [httpx.Response(429, headers={"Retry-After": "2"})]
    embedder.embed(["a"], purpose="query")
    assert clock.monotonic_s() - began == pytest.approx(2.0, abs=1e-3)


def test_who_asks_for_a_long_pause_is_not_asked_again(
    service: EmbeddingsService, embedder: RemoteEmbedder, clock: ManualClock
) -> None:
    began = clock.monotonic_s()
    service.planned = [httpx.Response(429, headers={"Retry-After": "3"})]
    with pytest.raises(UnavailableError, match="status=429"):
        embedder.embed(["a"], purpose="query")
    assert (len(service.requests), clock.monotonic_s()) == (1, began)


@pytest.mark.parametrize("value", ["", "soon", "-1", "1.5e9", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_pause_that_cannot_be_read_is_none(
    service: EmbeddingsService, embedder: RemoteEmbedder, value: str
) -> None:
    service.planned = [httpx.Response(429, headers={"Retry-After": value})]
    assert embedder.embed(["a"], purpose="query").any()


@pytest.mark.parametrize("status", [301, 307, 401, 402, 403, 404, 405, 451, 501])
def test_what_does_not_pass_is_tried_once(
    service: EmbeddingsService, embedder: RemoteEmbedder, status: int
) -> None:
    service.planned = [httpx.Response(status, headers={"Location": "https://elsewhere.test/"})]
    with pytest.raises(MisconfiguredError, match=f"status={status}"):
        embedder.embed(["a"], purpose="query")
    assert len(service.requests) == 1


def test_a_call_ends_when_its_time_is_over(
    service: EmbeddingsService, embedder: RemoteEmbedder, clock: ManualClock
) -> None:
    def slow(data: list[Any]) -> list[Any]:
        clock.sleep(4)
        return data

    service.change = slow
    began = clock.monotonic_s()
    texts = ["x" * 24_000] * 32
    with pytest.raises(UnavailableError, match="no answer in time"):
        embedder.embed(texts, purpose="passage")
    assert clock.monotonic_s() - began <= 12
