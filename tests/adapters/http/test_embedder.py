"""The embedder over OpenAI's API: what it sends, and what it makes of answers of any kind."""

import logging
import math
from collections.abc import Callable, Iterator

import httpx
import numpy as np
import pytest

from adapters.http.http_calls import FAILURES, KEY, PRIVATE, URL, again, opened
from emulation.embeddings_service import DIMENSIONS, EmbeddingsService, answered, item
from everturn.adapters.http.embedder import HttpWire, vectors_by_index
from everturn.adapters.http.remote_embedder import RemoteEmbedder
from everturn.adapters.system_clock import ManualClock
from everturn.errors import MisconfiguredError, UnavailableError
from ports.embedder_contract import EmbedderContract, checked

# Of rows of unit length in float32, each divided by a length that a BLAS adds up.
_ROUNDING = 1e-6


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


class TestHttpEmbedder(EmbedderContract):
    @pytest.fixture
    def asked(self, service: EmbeddingsService) -> Callable[[], int]:
        return lambda: len(service.requests)


def test_the_probe_is_one_request_that_says_how_long_vectors_are(
    service: EmbeddingsService, clock: ManualClock
) -> None:
    embedder = opened(service, clock)
    assert (embedder.dimensions, embedder.model, embedder.semantic) == (DIMENSIONS, "small", True)
    assert len(service.requests) == 1


@pytest.mark.parametrize("url", [URL, f"{URL}/"])
def test_a_request_is_what_the_api_describes(
    service: EmbeddingsService, clock: ManualClock, url: str
) -> None:
    opened(service, clock, url=url).embed(["a", "b"], purpose="passage")
    request, body = service.requests[-1], service.bodies[-1]
    assert (request.method, str(request.url)) == ("POST", f"{URL}/embeddings")
    assert body == {"model": "small", "input": ["a", "b"], "encoding_format": "float"}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["x-team"] == "agents"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["accept-encoding"] == "identity"


def test_without_a_key_no_authorization_is_sent(
    service: EmbeddingsService, clock: ManualClock
) -> None:
    opened(service, clock, key="")
    assert "authorization" not in service.requests[0].headers


def test_vectors_are_matched_by_index_and_not_by_position(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    straight = embedder.embed(["one", "two", "three"], purpose="passage")
    service.change = lambda data: data[::-1]
    turned = embedder.embed(["one", "two", "three"], purpose="passage")
    np.testing.assert_allclose(straight, turned, rtol=0, atol=_ROUNDING)


def test_a_repeated_or_foreign_index_is_ignored(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    texts = ["one", "two"]
    straight = embedder.embed(texts, purpose="passage")
    more = [item(0, "x"), item(1, "x"), item(7, "x"), item(-1, "x"), {"embedding": [1.0]}]
    more += [{"index": flag, "embedding": [1.0] * DIMENSIONS} for flag in (True, "0", 0.0, None)]
    service.change = lambda data: [*data, *more, 3, None]
    vectors = embedder.embed(texts, purpose="passage")
    np.testing.assert_allclose(vectors, straight, rtol=0, atol=_ROUNDING)


@pytest.mark.parametrize(
    "spoilt",
    [
        None,
        [],
        {},
        "AAAA",
        [0.0] * DIMENSIONS,
        [1.0] * (DIMENSIONS + 1),
        [1.0] * (DIMENSIONS - 1),
        [math.nan] * DIMENSIONS,
        [math.inf, *[1.0] * (DIMENSIONS - 1)],
        ["1.0"] * DIMENSIONS,
        [None] * DIMENSIONS,
        [True] * DIMENSIONS,
        [[1.0]] * DIMENSIONS,
        [10**400, *[1.0] * (DIMENSIONS - 1)],
    ],
)
def test_an_unusable_vector_is_zeros_for_that_text_alone(
    service: EmbeddingsService, embedder: RemoteEmbedder, spoilt: object
) -> None:
    straight = embedder.embed(["a", "b", "c"], purpose="passage")
    service.change = lambda data: [data[0], data[1] | {"embedding": spoilt}, data[2]]
    vectors = checked(embedder.embed(["a", "b", "c"], purpose="passage"), 3, embedder)
    assert not vectors[1].any()
    np.testing.assert_allclose(vectors[[0, 2]], straight[[0, 2]], rtol=0, atol=_ROUNDING)


def test_a_missing_vector_is_zeros_for_that_text_alone(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    service.change = lambda data: data[1:]
    vectors = checked(embedder.embed(["a", "b"], purpose="passage"), 2, embedder)
    assert vectors.any(axis=1).tolist() == [False, True]


@pytest.mark.parametrize("size", [1e-300, 1e-5, 7.0, 1e300])
def test_rows_have_unit_length_whatever_length_the_service_gives(
    service: EmbeddingsService, embedder: RemoteEmbedder, size: float
) -> None:
    straight = embedder.embed(["a"], purpose="query")
    service.change = lambda data: [
        data[0] | {"embedding": [value * size for value in data[0]["embedding"]]}
    ]
    vectors = embedder.embed(["a"], purpose="query")
    np.testing.assert_allclose(vectors, straight, rtol=0, atol=_ROUNDING)


def test_whole_numbers_are_numbers_too(
    service: EmbeddingsService, embedder: RemoteEmbedder
) -> None:
    service.change = lambda data: [data[0] | {"embedding": [3, 4, *[0] * (DIMENSIONS - 2)]}]
    [row] = embedder.embed(["a"], purpose="query")
    assert row[:2].tolist() == pytest.approx([0.6, 0.8])


def test_an_answer_that_drips_is_not_waited_for(clock: ManualClock) -> None:
    class Dripping(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            while True:
                clock.sleep(1)
                yield b" "

    client = httpx.Client(
        transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Dripping()))
    )
    wire = HttpWire(client, url=URL, model="m", clock=clock)
    began = clock.monotonic_s()
    with pytest.raises(UnavailableError, match="no answer in time"):
        wire.ask(["a"], purpose="query", timeout_s=5)
    assert clock.monotonic_s() - began <= 7


def test_an_answer_without_an_end_is_not_read(clock: ManualClock) -> None:
    class Endless(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            while True:
                yield b" " * 1_048_576

    client = httpx.Client(
        transport=httpx.MockTransport(lambda _: httpx.Response(200, stream=Endless()))
    )
    with pytest.raises(UnavailableError, match="too large"):
        HttpWire(client, url=URL, model="m", clock=clock).ask(["a"], purpose="query", timeout_s=5)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (httpx.Response(400, text=PRIVATE), "status=400"),
        (httpx.Response(401, text=PRIVATE), "status=401"),
        (httpx.Response(404, text=PRIVATE), "status=404"),
        (answered([]), "holds no vector"),
        (answered([{"index": 0, "embedding": [0.0, 0.0]}]), "holds no vector"),
        (answered([{"embedding": [1.0, 0.0]}]), "holds no vector"),
    ],
)
def test_a_probe_that_brings_no_vector_is_a_matter_of_the_deployment(
    service: EmbeddingsService, clock: ManualClock, answer: httpx.Response, reason: str
) -> None:
    service.planned = [answer]
    with pytest.raises(MisconfiguredError, match=reason):
        opened(service, clock)
    assert len(service.requests) == 1


def test_a_probe_that_is_not_answered_in_time_says_so(
    service: EmbeddingsService, clock: ManualClock
) -> None:
    service.planned = [httpx.ReadTimeout(PRIVATE)] * 3
    with pytest.raises(UnavailableError, match=r"^no answer in time$"):
        opened(service, clock)


@pytest.mark.parametrize(
    "failure",
    [*FAILURES, httpx.Response(400), httpx.Response(401), httpx.Response(302)],
    ids=repr,
)
def test_no_text_key_or_address_is_in_an_error_or_a_log(
    service: EmbeddingsService,
    clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
    failure: httpx.Response | Exception,
) -> None:
    embedder = opened(service, clock)
    service.refuses = lambda _: True
    caplog.set_level(logging.DEBUG)
    service.planned = [again(failure) for _ in range(9)]
    with pytest.raises((UnavailableError, MisconfiguredError)) as caught:
        embedder.embed([PRIVATE], purpose="query")
    for secret in (PRIVATE, KEY, "gateway.test"):
        assert secret not in str(caught.value)
    for secret in (PRIVATE, KEY):
        assert secret not in caplog.text
        assert secret not in repr(embedder)


def test_an_answer_that_is_no_object_is_not_taken_for_one() -> None:
    for body in (b"null", b"3", b'{"data": {}}', b'{"data": null}', b"", b"nope"):
        with pytest.raises(UnavailableError):
            vectors_by_index(body)
