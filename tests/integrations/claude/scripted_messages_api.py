"""Claude's Messages API on loopback, with one answer after the other, for the SDK's own program.

https://docs.claude.com/en/api/messages-streaming
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class ScriptedMessagesApi(ThreadingHTTPServer):
    """Answers each request for a message with the next text; `asked` has the requests."""

    daemon_threads = True

    def __init__(self, answers: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = iter(answers)
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def messages_api(*answers: str) -> Iterator[ScriptedMessagesApi]:
    """Serve these answers."""
    with ScriptedMessagesApi(answers) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedMessagesApi
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._send("text/plain", b"")

    def do_GET(self) -> None:
        self._send("application/json", b"{}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.path.startswith("/v1/messages?"):
            return self._send("application/json", b"{}")
        self.server.asked.append(body)
        return self._send("text/event-stream", _stream(body["model"], next(self.server.answers)))

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _stream(model: str, text: str) -> bytes:
    usage = {"input_tokens": 10, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    stopped = {"stop_reason": "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode()
