"""S3 emulated by moto in this process, which counts what it is asked: by verb, and in bytes."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import boto3

from everturn.local.emulation.moto_s3 import serve

BUCKET: Final = "bench"
_SETTINGS: Final = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}
# Each request goes through one of them, once: those that come in by another way as well.
_ANSWERS: Final = ("_bucket_response", "_key_response")


class Asked:
    """What was asked since the last `reset`; safe under threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Count from zero."""
        self.verbs: Counter[str] = Counter()
        self.sent = self.received = 0

    def add(self, verb: str, sent: int, received: int) -> None:
        with self._lock:
            self.verbs[verb] += 1
            self.sent += sent
            self.received += received


@contextmanager
def counted_moto() -> Iterator[tuple[str, Asked]]:
    """Serve S3 with a bucket to this process and its children; yields the URL and the counts."""
    asked, server = Asked(), serve("127.0.0.1", 0)
    _count(asked)
    os.environ.update({**_SETTINGS, "AWS_ENDPOINT_URL": server.url})
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    try:
        yield server.url, asked
    finally:
        server.stop()


def _count(asked: Asked) -> None:
    from moto.s3.responses import S3Response

    for name in _ANSWERS:
        setattr(S3Response, name, _counted(getattr(S3Response, name), asked, name))


def _counted(answer: Callable[..., Any], asked: Asked, name: str) -> Callable[..., Any]:
    of_bucket = name == _ANSWERS[0]

    def counting(self: object, request: Any, full_url: str) -> Any:
        verb = "LIST" if of_bucket and request.method == "GET" else str(request.method)
        received = 0
        try:
            answered = answer(self, request, full_url)
            received = len((answered[-1] if isinstance(answered, tuple) else answered) or b"")
            return answered
        finally:
            # What is refused, and what is not there, is raised.
            asked.add(verb, request.content_length or 0, received)

    return counting
