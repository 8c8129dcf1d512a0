"""Bedrock's Converse behind a real client of botocore, without a socket."""

import io
import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import botocore.session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

Reply: TypeAlias = tuple[int, str, object] | Exception
"""Status, error code or "", body; or what the network raises."""


class ConverseService:
    """Answers every request of its `client` by a function; `bodies` are what was sent."""

    def __init__(self, answer: "Callable[[dict[str, Any]], Reply]") -> None:
        """Answer so."""
        self.answer = answer
        self.bodies: list[dict[str, Any]] = []
        self.urls: list[str] = []
        self._lock = threading.Lock()
        session = botocore.session.Session()
        session.set_credentials("x", "x")
        made = session.create_client(
            "bedrock-runtime",
            region_name="us-east-1",
            config=Config(retries={"total_max_attempts": 1}),
        )
        self.client = cast("BedrockRuntimeClient", made)
        self.client.meta.events.register("before-send.bedrock-runtime", cast("Any", self))

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        """Stand in for the network."""
        body = json.loads(cast("bytes", request.body))
        with self._lock:
            self.bodies.append(body)
            self.urls.append(request.url)
            reply = self.answer(body)
        if isinstance(reply, Exception):
            raise reply
        status, code, answer = reply
        headers = {"Content-Type": "application/json", "x-amzn-ErrorType": code}
        raw = _Raw(json.dumps(answer))
        return AWSResponse(request.url, status, cast("Any", headers), cast("Any", raw))


def conversed(*blocks: object, stop_reason: str = "end_turn", **more: object) -> Reply:
    """An answer of a model; texts are blocks of text, `more` stands in the body."""
    content = [{"text": block} if isinstance(block, str) else block for block in blocks]
    output = {"message": {"role": "assistant", "content": content}}
    usage = {"inputTokens": 30, "outputTokens": 12, "totalTokens": 42}
    return 200, "", {"output": output, "stopReason": stop_reason, "usage": usage, **more}


def denied(status: int, code: str, message: str = "no") -> Reply:
    """An error of the API."""
    return status, code, {"message": message}


class _Raw(io.BytesIO):
    """A body that can be streamed, as urllib3's."""

    def __init__(self, text: str) -> None:
        super().__init__(text.encode())

    def stream(self, amt: int = 65_536, **_: object) -> Any:  # noqa: ANN401 - as urllib3 has it
        while piece := self.read(amt):
            yield piece
