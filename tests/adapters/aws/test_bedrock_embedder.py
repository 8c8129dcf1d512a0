"""The embedding models of Bedrock: what is sent to each, and what is made of the answers."""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber

from emulation.bedrock_service import BedrockService
from everturn.adapters.aws.bedrock_embedder import CohereWire, open_bedrock_embedder
from everturn.adapters.http.remote_embedder import RemoteEmbedder
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import MisconfiguredError, UnavailableError
from ports.embedder_contract import EmbedderContract, checked

TITAN = "amazon.titan-embed-text-v2:0"
COHERE_3 = "cohere.embed-multilingual-v3"
COHERE_4 = "eu.cohere.embed-v4:0"
MODELS = [TITAN, COHERE_3, COHERE_4]
PRIVATE = "my door code is 4711"


@pytest.fixture(scope="module")
def shared_service() -> BedrockService:
    return BedrockService()


@pytest.fixture
def service(shared_service: BedrockService) -> BedrockService:
    """A client costs 50 ms to make, so that all tests share one."""
    shared_service.forget()
    return shared_service


def opened(service: BedrockService, model: str) -> RemoteEmbedder:
    return open_bedrock_embedder(
        model=model, clock=ManualClock(), entropy=SeededEntropy(), client=service.client
    )


@pytest.mark.parametrize("model", MODELS)
class TestBedrockEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, service: BedrockService, model: str) -> RemoteEmbedder:
        return opened(service, model)

    @pytest.fixture
    def asked(self, service: BedrockService) -> Callable[[], int]:
        return lambda: len(service.bodies)


@pytest.mark.parametrize(
    ("model", "dimensions"), [(TITAN, 512), (COHERE_3, 1_024), (COHERE_4, 512)]
)
def test_a_model_is_asked_once_and_says_how_long_its_vectors_are(
    service: BedrockService, model: str, dimensions: int
) -> None:
    embedder = opened(service, model)
    assert (embedder.model, embedder.dimensions, embedder.semantic) == (model, dimensions, True)
    assert len(service.bodies) == 1


@pytest.fixture
def stubbed(service: BedrockService) -> Iterator[Stubber]:
    with Stubber(service.client) as stubber:
        yield stubber


def expect(stubber: Stubber, model: str, sent: object, answer: object) -> None:
    """Let the next request have exactly this body, and answer it."""
    data = json.dumps(answer).encode() if not isinstance(answer, bytes) else answer
    stubber.add_response(
        "invoke_model",
        {
            "body": StreamingBody(io.BytesIO(data), len(data)),
            "contentType": "application/json",
        },
        {
            "modelId": model,
            "body": json.dumps(sent),
            "contentType": "application/json",
            "accept": "application/json",
        },
    )


def test_titan_is_asked_for_one_text_at_a_time(service: BedrockService, stubbed: Stubber) -> None:
    sent = {"inputText": "hello", "dimensions": 512, "normalize": True}
    answer = {"embedding": [3.0, 4.0], "inputTextTokenCount": 2, "embeddingsByType": {}}
    expect(stubbed, TITAN, sent, answer)
    embedder = opened(service, TITAN)
    expect(stubbed, TITAN, sent | {"inputText": "a question"}, answer)
    [row] = embedder.embed(["a question"], purpose="query")
    assert row.tolist() == pytest.approx([0.6, 0.8])
    stubbed.assert_no_pending_responses()


@pytest.mark.parametrize(
    ("model", "more"),
    [(COHERE_3, {"truncate": "END"}), (COHERE_4, {"output_dimension": 512})],
)
@pytest.mark.parametrize("by_type", [True, False])
def test_cohere_is_told_what_the_texts_are_for(
    service: BedrockService, stubbed: Stubber, model: str, more: dict[str, Any], *, by_type: bool
) -> None:
    def body(texts: list[str], input_type: str) -> dict[str, Any]:
        return {"texts": texts, "input_type": input_type, "embedding_types": ["float"], **more}

    def answer(*vectors: list[float]) -> dict[str, Any]:
        return {"embeddings": {"float": vectors} if by_type else vectors}

    expect(stubbed, model, body(["hello"], "search_query"), answer([3.0, 4.0]))
    embedder = opened(service, model)
    expect(stubbed, model, body(["a", "b"], "search_document"), answer([3.0, 4.0], [0.0, 2.0]))
    expect(stubbed, model, body(["c"], "search_query"), answer([4.0, 3.0]))
    passages = embedder.embed(["a", "b"], purpose="passage")
    np.testing.assert_allclose(passages, [[0.6, 0.8], [0.0, 1.0]], atol=1e-6)
    np.testing.assert_allclose(embedder.embed(["c"], purpose="query"), [[0.8, 0.6]], atol=1e-6)
    stubbed.assert_no_pending_responses()


def test_another_number_of_vectors_is_no_answer(service: BedrockService, stubbed: Stubber) -> None:
    """Only their order says which vector is whose."""
    wire = CohereWire(service.client, COHERE_3)
    asked = {
        "texts": ["a", "b"],
        "input_type": "search_document",
        "embedding_types": ["float"],
        "truncate": "END",
    }
    answers: list[object] = [{"embeddings": {"float": [[1.0]]}}, {"embeddings": {}}, {}, [], b"<"]
    for answer in answers:
        expect(stubbed, COHERE_3, asked, answer)
        with pytest.raises(UnavailableError):
            wire.ask(["a", "b"], purpose="passage", timeout_s=60)


def test_texts_of_titan_are_sent_side_by_side_up_to_a_bound(service: BedrockService) -> None:
    embedder = opened(service, TITAN)
    vectors = embedder.embed([f"text {number}" for number in range(32)], purpose="passage")
    checked(vectors, 32, embedder)
    assert 1 < service.most_at_once <= 8


def test_texts_of_cohere_go_in_one_request(service: BedrockService) -> None:
    embedder = opened(service, COHERE_4)
    embedder.embed([f"text {number}" for number in range(96)], purpose="passage")
    assert [len(body["texts"]) for body in service.bodies] == [1, 96]


@pytest.mark.parametrize(
    ("model", "longest"), [(TITAN, 24_000), (COHERE_3, 2_048), (COHERE_4, 24_000)]
)
def test_a_long_text_is_cut_to_what_the_model_takes(
    service: BedrockService, model: str, longest: int
) -> None:
    embedder = opened(service, model)
    embedder.embed(["\u00e9" * 100_000], purpose="passage")
    body = service.bodies[-1]
    sent = body.get("inputText") or body["texts"][0]
    assert len(sent.encode()) == longest


@pytest.mark.parametrize("model", MODELS)
def test_a_refused_text_is_zeros_for_itself_alone(service: BedrockService, model: str) -> None:
    embedder = opened(service, model)
    service.refuses = lambda text: text == "bad"
    vectors = embedder.embed(["one", "bad", "two", "three"], purpose="passage")
    assert vectors.any(axis=1).tolist() == [True, False, True, True]


@pytest.mark.parametrize(
    ("fails", "raised", "tries"),
    [
        ((429, "ThrottlingException"), UnavailableError, 3),
        ((500, "InternalServerException"), UnavailableError, 3),
        ((408, "ModelTimeoutException"), UnavailableError, 3),
        ((400, "ServiceQuotaExceededException"), UnavailableError, 3),
        ((403, "AccessDeniedException"), MisconfiguredError, 1),
        ((404, "ResourceNotFoundException"), MisconfiguredError, 1),
    ],
)
@pytest.mark.parametrize("model", [TITAN, COHERE_4])
def test_what_may_pass_is_tried_three_times_and_the_rest_once(
    service: BedrockService,
    model: str,
    fails: tuple[int, str],
    raised: type[Exception],
    tries: int,
) -> None:
    embedder = opened(service, model)
    service.forget()
    service.fails = fails
    with pytest.raises(raised, match="status={} code={}".format(*fails)) as caught:
        embedder.embed([PRIVATE], purpose="query")
    assert PRIVATE not in str(caught.value)
    assert len(service.bodies) == tries


def test_one_failure_among_threads_ends_the_call(service: BedrockService) -> None:
    embedder = opened(service, TITAN)
    service.forget()
    service.fails = (403, "AccessDeniedException")
    with pytest.raises(MisconfiguredError):
        embedder.embed([f"text {number}" for number in range(32)], purpose="passage")
    assert len(service.bodies) < 32


def test_a_model_that_does_not_exist_is_a_matter_of_the_deployment(
    service: BedrockService,
) -> None:
    service.fails = (400, "ValidationException")
    with pytest.raises(MisconfiguredError, match="ValidationException"):
        opened(service, "cohere.embed-nothing")


@pytest.mark.parametrize("model", ["", "anthropic.claude", "amazon.titan-embed-image-v1"])
def test_a_model_of_another_kind_is_refused_without_a_request(
    service: BedrockService, model: str
) -> None:
    with pytest.raises(MisconfiguredError, match="neither titan v2 nor cohere"):
        opened(service, model)
    assert not service.bodies
