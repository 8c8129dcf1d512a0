"""The embedding models of Amazon Bedrock: Titan Text Embeddings V2 and Cohere Embed.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from everturn.adapters.aws.bedrock_client import make_client
from everturn.adapters.aws.errors import bedrock_errors
from everturn.adapters.http.remote_embedder import (
    EmbeddingWire,
    RemoteEmbedder,
    WireLimits,
    open_remote,
)
from everturn.errors import MisconfiguredError, UnavailableError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.embedder import Purpose

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

# botocore knows no deadline, so a try may end after this and no later.
_READ_S: Final = 3
_AT_ONCE: Final = 8
# Half of Titan's 1,024 and a third of Cohere's 1,536 keep nearly all of what the vectors are worth
# (99 % by AWS's own count), at half the index.
# https://docs.aws.amazon.com/bedrock/latest/userguide/titan-embedding-models.html
_DIMENSIONS: Final = 512
# A vector is some 12 KB of JSON, 96 of them 1.2 MB.
_MAX_ANSWER_BYTES: Final = 8_388_608


class TitanWire:
    """Titan Text Embeddings V2: one text in a request.

    https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
    """

    # 8,192 tokens or 50,000 characters a text; a token is some 3 bytes.
    limits: Final = WireLimits(
        max_batch=32, max_texts=1, max_text_bytes=24_000, max_request_bytes=24_000, at_once=_AT_ONCE
    )

    def __init__(self, client: "BedrockRuntimeClient", model: str) -> None:
        """Ask this model through this client."""
        self._client = client
        self._model = model

    def ask(
        self, texts: Sequence[str], *, purpose: Purpose, timeout_s: float
    ) -> Mapping[int, object]:
        """Return the vector of the one text; see EmbeddingWire."""
        del purpose, timeout_s  # the model knows no purposes, the client its own timeouts
        [text] = texts
        asked = {"inputText": text, "dimensions": _DIMENSIONS, "normalize": True}
        return {0: _invoked(self._client, self._model, asked).get("embedding")}


class CohereWire:
    """Cohere Embed, versions 3 and 4: up to 96 texts in a request.

    https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v3.html
    https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html
    """

    _INPUT_TYPES: Final[Mapping[Purpose, str]] = {
        "passage": "search_document",
        "query": "search_query",
    }

    def __init__(self, client: "BedrockRuntimeClient", model: str) -> None:
        """Ask this model through this client."""
        self._client = client
        self._model = model
        self._is_v3 = "-v3" in model
        # Version 3 refuses above 2,048 characters, cut or not, and reads 512 tokens of them.
        longest = 2_048 if self._is_v3 else 24_000
        self.limits: Final = WireLimits(
            max_batch=96, max_texts=96, max_text_bytes=longest, max_request_bytes=262_144
        )

    def ask(
        self, texts: Sequence[str], *, purpose: Purpose, timeout_s: float
    ) -> Mapping[int, object]:
        """Return the vectors, which come in the order of the texts; see EmbeddingWire."""
        del timeout_s  # the client knows its own
        asked: dict[str, object] = {
            "texts": list(texts),
            "input_type": self._INPUT_TYPES[purpose],
            "embedding_types": ["float"],
        }
        asked |= {"truncate": "END"} if self._is_v3 else {"output_dimension": _DIMENSIONS}
        vectors = _invoked(self._client, self._model, asked).get("embeddings")
        if isinstance(vectors, dict):
            vectors = vectors.get("float")
        # Nothing but the order says which vector is whose, so there must be one for each.
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise UnavailableError("its answer holds another number of vectors")
        return dict(enumerate(vectors))


def open_bedrock_embedder(
    *,
    model: str,
    clock: Clock,
    entropy: Entropy,
    client: "BedrockRuntimeClient | None" = None,
) -> RemoteEmbedder:
    """Return an embedder for a model's id, asked once.

    Args:
        model: such as `amazon.titan-embed-text-v2:0` or `cohere.embed-multilingual-v3`.
        clock: for the deadlines.
        entropy: for the waits.
        client: through which to ask; one from the environment's credentials if None.

    Raises:
        UnavailableError: no answer in time.
        MisconfiguredError: no permission, no such model, or one of another kind.
    """
    kind: type[TitanWire | CohereWire]
    if "titan-embed-text-v2" in model:
        kind = TitanWire
    elif "cohere.embed" in model:
        kind = CohereWire
    else:
        raise MisconfiguredError(f"it is neither titan v2 nor cohere embed model={model}")
    wire: EmbeddingWire = kind(client or make_client(read_s=_READ_S, at_once=_AT_ONCE), model)
    return open_remote(wire, model=model, clock=clock, entropy=entropy)


def _invoked(client: "BedrockRuntimeClient", model: str, asked: object) -> dict[str, object]:
    with bedrock_errors():
        answer = client.invoke_model(
            modelId=model,
            body=json.dumps(asked),
            contentType="application/json",
            accept="application/json",
        )
        body = answer["body"].read(_MAX_ANSWER_BYTES + 1)
    if len(body) > _MAX_ANSWER_BYTES:
        raise UnavailableError(f"its answer is too large bytes={len(body)}")
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise UnavailableError("its answer is no json") from exc
    if not isinstance(parsed, dict):
        raise UnavailableError("its answer is no object")
    return parsed
