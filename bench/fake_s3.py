"""S3 inside the process: heads that are made up when they are asked for, and what was written.

It answers botocore's requests before they are sent, so that the adapter, its parser and botocore do
all that they do for S3 itself.
"""

import hashlib
import io
import re
import threading
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qs, quote, unquote, urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders

from everturn.adapters.aws.s3_clients import make_clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.conversations.model.head import Head
from everturn.conversations.model.write_ring import ring_of
from everturn.values.keys import Scope, heads_prefix
from everturn.values.timestamps import NANOSECONDS

BUCKET: Final = "bench"
SCOPE: Final = Scope("default", "0190a5b2-7c3d-7e4f-8a1b-000000000000")
_TURN: Final = (
    b'{"role":"user","text":"Where is my order 4711? It should have come on Friday.",'
    b'"ts":"2026-01-01T00:00:00Z"}'
)
_TURNS: Final = 20
_PAGE_KEYS: Final = 1_000
_BEGAN_NS: Final = 1_767_225_600 * NANOSECONDS
# Neighbours by key are none by time.
_STRIDE: Final = 7_919
_KEY: Final = re.compile("<Key>([^<]*)</Key>")
# A head without our mark would be looked at for lost segments: another LIST each.
_META: Final = {f"x-amz-meta-{name}": value for name, value in ring_of({}).meta.items()}


class FakeS3:
    """Some heads in one bucket; counts requests by verb, bytes, and its own CPU time.

    What is written lies in a folder, so that it takes no memory and other processes see it.
    """

    def __init__(self, heads: int, *, latency_s: float, folder: Path) -> None:
        self._prefix = heads_prefix(SCOPE)
        self._heads = heads
        self._latency_s = latency_s
        self._folder = folder
        self._etags = {unquote(file.name): _etag(file.read_bytes()) for file in folder.iterdir()}
        self._lock = threading.Lock()
        self.requests: Counter[str] = Counter()
        self.sent = self.received = 0
        self.own_cpu_s = 0.0

    def store(self) -> S3Store:
        """Return a store whose requests come here."""
        clients = make_clients(endpoint_url="http://127.0.0.1:9")
        for client in (clients.writes, clients.reads):
            client.meta.events.register("before-send.s3", cast("Callable[..., None]", self))
        return S3Store(bucket=BUCKET, prefix="", writes=clients.writes, reads=clients.reads)

    def reset(self) -> None:
        """Count from zero."""
        self.requests = Counter()
        self.sent = self.received = 0
        self.own_cpu_s = 0.0

    def name(self, number: int) -> str:
        """Return the id of a conversation."""
        return f"0190a5b2-7c3d-7e4f-8a1b-{number:012d}"

    def page(self, start_after: str = "") -> bytes:
        """Return a page of the listing of all heads as S3 writes it."""
        first = bisect_right(range(self._heads), start_after, key=self._key)
        last = min(first + _PAGE_KEYS, self._heads)
        rows = "".join(map(self._row, range(first, last)))
        count, more = last - first, str(last < self._heads).lower()
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{BUCKET}</Name><Prefix>{self._prefix}</Prefix><KeyCount>{count}</KeyCount>"
            f"<MaxKeys>{_PAGE_KEYS}</MaxKeys><EncodingType>url</EncodingType>"
            f"<IsTruncated>{more}</IsTruncated>{rows}</ListBucketResult>"
        ).encode()

    def __call__(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        time.sleep(self._latency_s)
        began_s = time.thread_time()
        body: Any = request.body or b""
        sent = body.read() if hasattr(body, "read") else bytes(body)
        verb, (status, answer, headers) = self._answer(request, sent)
        with self._lock:
            self.requests[verb] += 1
            self.sent += len(sent)
            self.received += len(answer)
            self.own_cpu_s += time.thread_time() - began_s
        said = HTTPHeaders()
        for name, value in {**headers, "content-length": str(len(answer))}.items():
            said[name] = value
        return AWSResponse(request.url, int(status), said, _RawBody(answer))

    def _answer(
        self, request: AWSPreparedRequest, sent: bytes
    ) -> tuple[str, tuple[HTTPStatus, bytes, dict[str, str]]]:
        url = urlsplit(request.url)
        key = unquote(url.path).removeprefix(f"/{BUCKET}").removeprefix("/")
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if request.method == "PUT":
            self._file(key).write_bytes(sent)
            self._etags[key] = _etag(sent)
            return "put", (HTTPStatus.OK, b"", {"ETag": _etag(sent)})
        if request.method == "POST":
            for gone in _KEY.findall(sent.decode()):
                self._etags.pop(gone, None)
                self._file(gone).unlink(missing_ok=True)
            return "delete", (HTTPStatus.OK, b"<DeleteResult></DeleteResult>", {})
        if "list-type" in query:
            return "list", (HTTPStatus.OK, self._listed(query), {})
        return "get", self._got(key)

    def _listed(self, query: dict[str, str]) -> bytes:
        if query["prefix"] == self._prefix:
            return self.page(query.get("start-after", ""))
        return b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"

    def _got(self, key: str) -> tuple[HTTPStatus, bytes, dict[str, str]]:
        if key in self._etags:
            return HTTPStatus.OK, self._file(key).read_bytes(), {"ETag": self._etags[key], **_META}
        if not key.startswith(self._prefix):
            missing = b"<Error><Code>NoSuchKey</Code></Error>"
            return HTTPStatus.NOT_FOUND, missing, {}
        number = int(key[-17:-5])
        body = self.head(number).encode()
        return HTTPStatus.OK, body, {"ETag": f'"{number:032x}"', **_META}

    def head(self, number: int) -> Head:
        """Return a head as it is before anybody writes it."""
        updated_ns = _BEGAN_NS + self._second(number) * NANOSECONDS
        return Head(self.name(number)).with_turns([_TURN] * _TURNS, updated_ns=updated_ns)

    def _second(self, number: int) -> int:
        return number * _STRIDE % self._heads

    def _modified(self, number: int) -> str:
        # As S3 writes it: whole seconds.
        day, second = divmod(self._second(number), 86_400)
        minutes, hour = second // 60, second // 3_600
        return f"2026-01-{day + 1:02}T{hour:02}:{minutes % 60:02}:{second % 60:02}.000Z"

    def _file(self, key: str) -> Path:
        return self._folder / quote(key, safe="")

    def _key(self, number: int) -> str:
        return f"{self._prefix}{self.name(number)}.json"

    def _row(self, number: int) -> str:
        key = self._key(number)
        etag = self._etags.get(key, f'"{number:032x}"')
        return (
            f"<Contents><Key>{key}</Key><LastModified>{self._modified(number)}</LastModified>"
            f"<ETag>&quot;{etag[1:-1]}&quot;</ETag><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm>"
            "<ChecksumType>FULL_OBJECT</ChecksumType><Size>2000</Size>"
            "<StorageClass>STANDARD</StorageClass></Contents>"
        )


class _RawBody(io.BytesIO):
    """A body that can be read as urllib3's can."""

    def stream(self, amt: int = 65_536, **_: object) -> Iterator[bytes]:
        while chunk := self.read(amt):
            yield chunk


def _etag(body: bytes) -> str:
    return f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
