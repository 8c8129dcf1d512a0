"""The embedder over OpenAI's API on a real socket: what a transport without one cannot show."""

import http.server
import json
import threading
from collections.abc import Iterator

import httpx
import pytest

from emulation.embeddings_service import DIMENSIONS, item
from everturn.adapters.http import remote_embedder
from everturn.adapters.http.embedder import HttpWire, open_http_embedder
from everturn.adapters.system_clock import SeededEntropy, SystemClock
from everturn.errors import MisconfiguredError, UnavailableError


class _Real(http.server.BaseHTTPRequestHandler):
    """Answers below /v1, never answers below /hang, and sends everyone else there."""

    protocol_version = "HTTP/1.1"
    hang = threading.Event()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/v1/embeddings":
            data = [item(number, text) for number, text in enumerate(asked["input"])]
            return self._say(200, json.dumps({"data": data}).encode())
        if self.path.startswith("/hang"):
            self.hang.wait()
        return self._say(307, b"")

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Location", "/v1/embeddings")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def real_url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Real)
    _Real.hang.clear()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    _Real.hang.set()
    server.shutdown()
    thread.join()
    server.server_close()


def test_vectors_come_over_a_socket(real_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A query waits seconds for its vector; a busy machine is given a minute for it.
    for limit in ("_PROBE_S", "_CALL_S", "_TRY_S"):
        monkeypatch.setattr(remote_embedder, limit, 60.0)
    with httpx.HTTPTransport() as transport:
        embedder = open_http_embedder(
            url=f"{real_url}/v1",
            key="",
            headers=(),
            model="m",
            clock=SystemClock(),
            entropy=SeededEntropy(),
            transport=transport,
        )
        assert embedder.dimensions == DIMENSIONS
        assert embedder.embed(["a", "b"], purpose="passage").any(axis=1).all()


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as client:
        yield client


def test_a_redirect_is_refused(real_url: str, client: httpx.Client) -> None:
    wire = HttpWire(client, url=real_url, model="m", clock=SystemClock())
    with pytest.raises(MisconfiguredError, match="status=307"):
        wire.ask(["a"], purpose="query", timeout_s=60)


def test_a_silent_server_is_left(real_url: str, client: httpx.Client) -> None:
    wire = HttpWire(client, url=f"{real_url}/hang", model="m", clock=SystemClock())
    with pytest.raises(UnavailableError, match="no answer in time"):
        wire.ask(["a"], purpose="query", timeout_s=0.2)


def test_a_server_that_is_not_there_cannot_be_reached(client: httpx.Client) -> None:
    wire = HttpWire(client, url="http://127.0.0.1:9", model="m", clock=SystemClock())
    with pytest.raises(UnavailableError, match="cannot be reached error=ConnectError"):
        wire.ask(["a"], purpose="query", timeout_s=60)
