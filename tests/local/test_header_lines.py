import json
import socket

import pytest

from everturn.local.server import FrontServer
from local.raw_http import connect, error, head, raw


@pytest.mark.parametrize(
    "line",
    [
        b"no colon",
        b"X : blank before the colon",
        b": no name",
        b" folded: 1",
        b"From ann: an envelope",
        b"X: bare\rX-Everturn-Actor: ann",
        b"X: nul\x00",
        b"X\x0b: 1",
        "Ü: 1".encode(),
    ],
)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_malformed_header_line_refuses_the_whole_request(
    server: FrontServer, line: bytes, place: str
) -> None:
    """Else what stands behind it would be dropped, and the request be that of another user."""
    lines = [b"Host: localhost", b"X-Everturn-Actor: ann", b"Connection: close"]
    lines.insert({"first": 0, "middle": 1, "last": 3}[place], line)
    answer = raw(server, b"\r\n".join([b"GET /v1/things HTTP/1.1", *lines, b"", b""]))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert error(answer)["code"] == "malformed_request"


def test_a_malformed_header_line_is_not_told_to_go_on(server: FrontServer) -> None:
    headers = ("Content-Length: 2", "Expect: 100-continue", "no colon")
    assert raw(server, head("POST", "/v1/things", *headers)).startswith(b"HTTP/1.1 400 ")


def test_headers_that_end_with_the_connection_are_no_request(server: FrontServer) -> None:
    with connect(server) as client:
        client.sendall(b"GET /v1/things HTTP/1.1\r\nHost: localhost\r\nX-Everturn-Ac")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(65_536).startswith(b"HTTP/1.1 400 ")


def test_the_lines_of_one_request_say_nothing_of_the_next(server: FrontServer) -> None:
    """A body may look like anything, and so may a request line."""
    body = b"no\rheader\nX : 1\n"
    headers = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    first = head("POST", "/v1/things", *headers) + body
    both = raw(server, first + head("GET", "/v1/things", "Connection: close"))
    assert both.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize(
    ("sent", "read"), [("Ünal".encode(), "Ünal"), (b"caf\xe9", "café"), (b"ann \t", "ann")]
)
def test_a_header_is_read_as_utf_8_where_it_is(server: FrontServer, sent: bytes, read: str) -> None:
    line = b"\r\nX-Everturn-Actor: " + sent + b"\r\nConnection: close\r\n\r\n"
    answer = raw(server, b"GET /v1/things HTTP/1.1\r\nHost: localhost" + line)
    event = json.loads(answer.partition(b"\r\n\r\n")[2])["event"]
    assert event["headers"]["x-everturn-actor"] == read
