"""Clients that go away in the middle of being answered: nobody is told of them."""

import socket
import struct
import threading

import pytest

from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.local.gateway import Gateway
from everturn.local.server import FrontServer, listen

# With a reset instead of an end. https://man7.org/linux/man-pages/man7/socket.7.html
_RESET = struct.pack("ii", 1, 0)


class _LeavingClock(ManualClock):
    """A clock that has a client read its answer and go, when it is asked how long that took."""

    def __init__(self, client: socket.socket) -> None:
        super().__init__()
        self._client = client
        self._asked = 0

    def monotonic_s(self) -> float:
        self._asked += 1
        # It is asked as the refusal begins, and when it was sent.
        if self._asked == 2:
            assert self._client.recv(65_536)
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self._client.close()
        return super().monotonic_s()


class _OneConnection(FrontServer):
    """A server that says when its connection has ended."""

    ended: threading.Event

    def shutdown_request(self, request: object) -> None:
        super().shutdown_request(request)  # type: ignore[arg-type]
        self.ended.set()


def test_a_client_that_leaves_while_it_is_refused_is_not_worth_a_line(
    capfd: pytest.CaptureFixture[str],
) -> None:
    listener = listen("127.0.0.1", 0)
    client = socket.create_connection(listener.getsockname(), timeout=60)
    gateway = Gateway((), {}, clock=_LeavingClock(client), entropy=SeededEntropy())
    with _OneConnection(listener, gateway, host="127.0.0.1") as server:
        server.ended = threading.Event()
        client.sendall(b"GET /v1/things HTTP/9.9\r\n\r\n")
        server.handle_request()
        assert server.ended.wait(60)
    assert capfd.readouterr().err == "- - 505 0.0 ms\n"
