"""Bedrock's embedding models behind a real client of botocore, without a socket."""

import io
import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config

from emulation.word_vectors import word_vector

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

Handler = Callable[..., None]
"""What botocore-stubs takes for a handler; botocore itself looks at what a handler returns."""


class BedrockService:
    """Answers every request of its `client`; `bodies` are what was sent, in some order.

    `refuses` says which texts get a ValidationException, `fails` which error code every request.
    """

    def __init__(self) -> None:
        """Do everything right."""
        self.bodies: list[dict[str, Any]] = []
        self.refuses: Callable[[str], bool] = lambda _: False
        self.fails: tuple[int, str] | None = None
        self.at_once = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        session = botocore.session.Session()
        session.set_credentials("x", "x")
        made = session.create_client(
            "bedrock-runtime",
            region_name="us-east-1",
            config=Config(retries={"total_max_attempts": 1}),
        )
        self.client = cast("BedrockRuntimeClient", made)
        self.client.meta.events.register("before-send.bedrock-runtime", cast("Handler", self))

    def forget(self) -> None:
        """Do everything right again, and count from here."""
        self.bodies.clear()
        self.refuses = lambda _: False
        self.fails = None
        self.most_at_once = 0

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        """Stand in for the network."""
        body = json.loads(cast("bytes", request.body))
        with self._lock:
            self.bodies.append(body)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        # Long enough for another thread to come in, if there is one.
        threading.Event().wait(0.005)
        with self._lock:
            self.at_once -= 1
        return self._answer(request, body)

    def _answer(self, request: AWSPreparedRequest, body: dict[str, Any]) -> AWSResponse:
        texts = [body["inputText"]] if "inputText" in body else body["texts"]
        if self.fails:
            status, code = self.fails
            return _response(request, status, {"message": f"no {texts}"}, code)
        if any(map(self.refuses, texts)):
            return _response(request, 400, {"message": f"bad {texts}"}, "ValidationException")
        size = body.get("dimensions") or body.get("output_dimension") or 1_024
        vectors = [word_vector(text, size) for text in texts]
        if "inputText" in body:
            return _response(request, 200, {"embedding": vectors[0], "inputTextTokenCount": 3})
        return _response(request, 200, {"embeddings": {"float": vectors}})


def _response(
    request: AWSPreparedRequest, status: int, body: object, code: str = ""
) -> AWSResponse:
    headers = {"Content-Type": "application/json", "x-amzn-ErrorType": code}
    return AWSResponse(request.url, status, cast("Any", headers), _Raw(json.dumps(body)))


class _Raw(io.BytesIO):
    """A body that can be streamed, as urllib3's."""

    def __init__(self, text: str) -> None:
        super().__init__(text.encode())

    def stream(self, amt: int = 65_536, **_: object) -> Any:  # noqa: ANN401 - as urllib3 has it
        while piece := self.read(amt):
            yield piece
