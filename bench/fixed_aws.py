"""S3 that holds one conversation, whatever is written, and SQS without jobs; reached by a proxy.

The addresses are AWS's, over plain HTTP: a store on AWS itself is not probed at a start, and no
handshake is measured.
"""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from everturn.values.keys import SWEEP_KEY

KEY: Final = "c/default/alice/trip-to-lisbon.json"
HEAD: Final = (
    b'{"conversation_id":"trip-to-lisbon","turns":['
    b'{"role":"user","text":"Which day do I fly to Lisbon?","ts":"2026-01-01T00:00:00Z"},'
    b'{"role":"assistant","text":"On Friday at 09:40.","ts":"2026-01-01T00:00:01Z"}'
    b'],"updated":"2026-01-01T00:00:01Z"}'
)
QUEUES: Final = {
    "JobQueue": "http://sqs.us-east-1.amazonaws.com/123456789012/jobs",
    "DeadLetters": "http://sqs.us-east-1.amazonaws.com/123456789012/dead",
}
# A sweep looks at what it wrote, for the store's time.
_OBJECTS: Final = {KEY: HEAD, SWEEP_KEY: b"{}"}
_ABSENT: Final = b"<Error><Code>NoSuchKey</Code></Error>"
_COUNTS: Final = {
    f"ApproximateNumberOfMessages{kind}": "0" for kind in ("", "Delayed", "NotVisible")
}
_FROM_SQS: Final = json.dumps({"MessageId": "x", "Attributes": _COUNTS}).encode()


@contextmanager
def fixed_aws() -> Iterator[dict[str, str]]:
    """Serve it; yields the variables of a process that is to use it."""
    server = _Server(("127.0.0.1", 0), _Door)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {
        "AWS_ENDPOINT_URL_S3": "http://s3.us-east-1.amazonaws.com",
        "AWS_ENDPOINT_URL_SQS": "http://sqs.us-east-1.amazonaws.com",
        "HTTP_PROXY": f"http://127.0.0.1:{server.server_port}",
        "NO_PROXY": "127.0.0.1",
    }
    server.shutdown()
    server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a process that was ended with its connections open."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Door(BaseHTTPRequestHandler):
    """Every write succeeds, and changes nothing."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Keep silent."""

    def handle_expect_100(self) -> bool:
        """Ask for the body at once: a client that waits for this does so for a second."""
        asked = super().handle_expect_100()
        self.wfile.flush()
        return asked

    def do_GET(self) -> None:
        """Give the object, or a page of a list."""
        asked = urlsplit(self.path)
        query = parse_qs(asked.query)
        if "list-type" in query:
            self._reply(HTTPStatus.OK, _page(query.get("prefix", [""])[0]))
        elif body := _OBJECTS.get(unquote(asked.path).removeprefix("/")):
            self._reply(HTTPStatus.OK, body)
        else:
            self._reply(HTTPStatus.NOT_FOUND, _ABSENT)

    def do_PUT(self) -> None:
        """Take an object."""
        self._reply(HTTPStatus.OK, b"")

    def do_DELETE(self) -> None:
        """Remove none."""
        self._reply(HTTPStatus.NO_CONTENT, b"")

    def do_POST(self) -> None:
        """Answer a call of SQS."""
        self._reply(HTTPStatus.OK, _FROM_SQS)

    def _reply(self, status: HTTPStatus, body: bytes) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(status)
        self.send_header("ETag", '"e"')
        self.send_header(
            "Content-Length", "0" if status is HTTPStatus.NO_CONTENT else str(len(body))
        )
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def _page(prefix: str) -> bytes:
    listed = "".join(
        f"<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:01.000Z</LastModified>"
        f"<ETag>&quot;e&quot;</ETag><Size>{len(body)}</Size></Contents>"
        for key, body in _OBJECTS.items()
        if key.startswith(prefix)
    )
    page = f"<ListBucketResult><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>"
    return page.encode()
