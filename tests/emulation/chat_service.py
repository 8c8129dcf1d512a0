"""A server of OpenAI's chat completions on a real socket, which answers what a test tells it to.

Use it as a context: `with ChatService(answer) as it`, and ask below `it.url`; a process that has a
proxy in its environment needs NO_PROXY=127.0.0.1.
"""

import http.server
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self, TypeAlias

Body: TypeAlias = str | bytes | dict[str, Any] | list[Any] | Iterator[bytes] | None
"""Anything else than text is sent as JSON, an iterator piece by piece, None as a reset."""

Reply: TypeAlias = tuple[int, Mapping[str, str], Body]
"""Status, further headers, body. With a Content-Length of its own a body may be shorter.

With a status of 0 nothing stands before the pieces of the body: not even a line of HTTP.
"""

Answers: TypeAlias = Callable[[dict[str, Any]], Reply]
"""From the request as JSON to its reply."""


class ChatService:
    """Answers every POST by a function; `bodies`, `headers` and `paths` are what it was sent."""

    def __init__(self, answer: Answers) -> None:
        """Listen on a free port of this machine."""
        self.answer = answer
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        # A reply that a test does not wait for is not waited for at its end either.
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The address that ends before `/chat/completions`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.paths.append(self.path)
                service.headers.append({name.lower(): v for name, v in self.headers.items()})
                service.bodies.append(body)
                try:
                    _send(self, service.answer(body))
                except ConnectionError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def in_order(replies: Iterable[Reply]) -> Answers:
    """Give these replies, one a request; asked again after the last, answer 500."""
    left = iter(replies)
    return lambda _: next(left, (500, {}, "the script is at its end"))


def said(content: object, *, finish_reason: str | None = "stop", **more: object) -> Reply:
    """An answer of a model; `more` stands in the body, such as `usage`."""
    message = {"role": "assistant", "content": content}
    return chose({"index": 0, "message": message, "finish_reason": finish_reason}, **more)


def chose(choice: object, **more: object) -> Reply:
    """An answer with this choice, whatever it is."""
    body = {"id": "chatcmpl-1", "object": "chat.completion", "model": "small", "choices": [choice]}
    return 200, {}, {**body, **more}


def refused(status: int, error: object) -> Reply:
    """An error as the API describes it."""
    return status, {}, {"error": error}


def _send(handler: http.server.BaseHTTPRequestHandler, reply: Reply) -> None:
    status, headers, body = reply
    if body is None:
        # A reset instead of an end: https://man7.org/linux/man-pages/man7/socket.7.html
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True
        handler.connection.close()
        return None
    if status == 0 and isinstance(body, Iterator):
        handler.close_connection = True
        return _send_pieces(handler, body)
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    # So that a client which a process keeps for good leaves no socket open behind a test.
    handler.send_header("Connection", "close")
    if isinstance(body, Iterator):
        handler.end_headers()
        return _send_pieces(handler, body)
    content = _content(body)
    if "Content-Length" not in headers:
        handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)
    return None


def _send_pieces(handler: http.server.BaseHTTPRequestHandler, pieces: Iterator[bytes]) -> None:
    for piece in pieces:
        handler.wfile.write(piece)
        handler.wfile.flush()


def _content(body: str | bytes | dict[str, Any] | list[Any]) -> bytes:
    if isinstance(body, bytes):
        return body
    return (body if isinstance(body, str) else json.dumps(body)).encode()
