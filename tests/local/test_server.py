import errno
import http.client
import json
import socket
from collections.abc import Iterator

import pytest

from everturn.errors import MisconfiguredError
from everturn.local.guard import Guard
from everturn.local.http_messages import MAX_BODY_BYTES
from everturn.local.server import FrontServer, InFlight, listen, url_of
from local.echo import echo_gateway, fail
from local.raw_http import connect, error, head, raw


@pytest.fixture
def connection(server: FrontServer) -> Iterator[http.client.HTTPConnection]:
    made = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    yield made
    made.close()


def test_one_connection_serves_many_requests(connection: http.client.HTTPConnection) -> None:
    sockets = set()
    for number in range(3):
        connection.request(
            "POST", f"/v1/things?n={number}", b"{}", {"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        event = json.loads(response.read())["event"]
        assert event["rawQueryString"] == f"n={number}"
        assert event["body"] == "{}"
        sockets.add(id(connection.sock))
    assert len(sockets) == 1


def test_head_and_unknown_methods_are_not_found_and_keep_the_connection(
    connection: http.client.HTTPConnection,
) -> None:
    for method in ("HEAD", "OPTIONS", "TRACE", "BREW"):
        connection.request(method, "/v1/things")
        response = connection.getresponse()
        body = response.read()
        assert response.status == 404
        assert int(response.headers["content-length"]) > 0
        assert (body == b"") == (method == "HEAD")
    connection.request("GET", "/v1/things")
    assert connection.getresponse().status == 200


def test_headers_of_the_handler_are_sent_and_its_length_is_ours(
    connection: http.client.HTTPConnection,
) -> None:
    connection.request("GET", "/v1/things")
    response = connection.getresponse()
    assert response.headers.get_all("set-cookie") == ["a=1", "b=2"]
    assert response.headers["x-number"] == "7"
    assert len(response.headers.get_all("content-length") or []) == 1


def test_a_foreign_host_is_forbidden_and_the_connection_ends(server: FrontServer) -> None:
    request = b"GET /v1/things HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    answer = raw(server, request)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert error(answer)["code"] == "forbidden"
    assert b"connection: close" in answer
    assert b"cache-control: no-store" in answer


def test_users_are_named_on_loopback_alone(server: FrontServer) -> None:
    """The body is that of edge/responses/base.py; without the headers the same client is let in."""
    named = head("GET", "/v1/things", "X-Everturn-Actor: ann", "Connection: close")
    assert raw(server, named).startswith(b"HTTP/1.1 200 ")
    server.guard = Guard("10.0.0.1")
    answer = raw(server, named)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert error(answer)["code"] == "forbidden"
    plain = raw(server, head("GET", "/v1/things", "Connection: close"))
    event = json.loads(plain.partition(b"\r\n\r\n")[2])["event"]
    assert event["headers"]["x-everturn-actor"] == "local"


def test_what_ends_a_connection_is_logged_without_its_message(
    server: FrontServer, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        fail({}, None)
    except LookupError:
        server.handle_error(None, None)
    assert capfd.readouterr().err == "a connection failed error=LookupError\n"


def test_a_request_without_host_is_forbidden(server: FrontServer) -> None:
    assert raw(server, b"GET /v1/things HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 403 ")
    assert raw(server, b"GET /v1/things HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403 ")


def test_a_body_that_is_no_json_is_refused_before_any_handler(server: FrontServer) -> None:
    answer = raw(server, head("POST", "/v1/things", "Content-Length: 2") + b"{}")
    assert answer.startswith(b"HTTP/1.1 415 ")
    assert error(answer)["code"] == "unsupported_media_type"


def test_a_body_above_three_mebibytes_is_refused_unread(server: FrontServer) -> None:
    """The client still sends; it gets the answer all the same, not a reset."""
    headers = (f"Content-Length: {MAX_BODY_BYTES + 1}", "Content-Type: application/json")
    answer = raw(server, head("POST", "/v1/things", *headers) + b" " * 400_000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert error(answer)["code"] == "too_large"


def test_a_body_of_three_mebibytes_is_taken(connection: http.client.HTTPConnection) -> None:
    body = b" " * MAX_BODY_BYTES
    connection.request("POST", "/v1/things", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    assert response.status == 200
    assert len(json.loads(response.read())["event"]["body"]) == MAX_BODY_BYTES


def test_a_client_that_asks_first_is_told_to_go_on(server: FrontServer) -> None:
    """RFC 9110, section 10.1.1; curl asks so for bodies above 1 MB."""
    headers = ("Content-Type: application/json", "Content-Length: 2", "Expect: 100-continue")
    with connect(server) as client:
        client.sendall(head("POST", "/v1/things", *headers))
        assert client.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_asks_first_with_too_much_is_not_told_to_go_on(server: FrontServer) -> None:
    length = f"Content-Length: {MAX_BODY_BYTES + 1}"
    headers = ("Content-Type: application/json", length, "Expect: 100-continue")
    with connect(server) as client:
        client.sendall(head("POST", "/v1/things", *headers))
        assert client.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_chunked_bodies_are_refused_under_a_code_of_their_own(server: FrontServer) -> None:
    head_bytes = head(
        "POST", "/v1/things", "Content-Type: application/json", "Transfer-Encoding: chunked"
    )
    answer = raw(server, head_bytes + b"2\r\n{}\r\n0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert error(answer)["code"] == "length_required"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"a secret of the user\r\n\r\n", b"400"),
        (b"GET http://localhost/v1/things HTTP/1.1\r\nHost: localhost\r\n\r\n", b"400"),
        (b"GET /v1/things HTTP/3.0\r\nHost: localhost\r\n\r\n", b"505"),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", b"414"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", b"431"),
    ],
)
def test_what_is_no_request_is_answered_in_the_form_of_the_api(
    server: FrontServer, sent: bytes, status: bytes
) -> None:
    answer = raw(server, sent)
    assert answer.split(b" ")[1] == status
    assert error(answer)["code"] in {"malformed_request", "too_large"}
    assert b"secret" not in answer
    assert b"cache-control: no-store" in answer


def test_a_body_that_ends_early_reaches_no_handler(server: FrontServer) -> None:
    headers = ("Content-Type: application/json", "Content-Length: 10")
    with connect(server) as client:
        client.sendall(head("POST", "/v1/things", *headers) + b"{}")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(65_536) == b""


def test_the_access_log_has_no_query_and_no_control_characters(
    server: FrontServer, capfd: pytest.CaptureFixture[str]
) -> None:
    raw(server, head("GET", "/v1/things/\x1b[2J?q=secret", "Connection: close"))
    server.in_flight.wait_until_none(10)
    line = capfd.readouterr().err
    assert line.startswith("GET /v1/things/%1B[2J 200 ")
    assert line.endswith(" ms\n")


def test_a_taken_port_is_one_clear_error(server: FrontServer) -> None:
    port = server.server_port
    with pytest.raises(MisconfiguredError, match=rf"in use host=127\.0\.0\.1 port={port}$"):
        listen("127.0.0.1", port)


def test_an_address_is_told_as_a_url() -> None:
    with listen("127.0.0.1", 0) as four:
        assert url_of(four) == f"http://127.0.0.1:{four.getsockname()[1]}"


def test_an_end_waits_for_what_is_in_flight() -> None:
    in_flight = InFlight()
    with in_flight:
        assert not in_flight.wait_until_none(0.01)
    assert in_flight.wait_until_none(0.01)


def test_the_access_log_escapes_the_method(
    server: FrontServer, capfd: pytest.CaptureFixture[str]
) -> None:
    raw(server, head("\x1b]0;x\x07\x9b", "/v1/things", "Connection: close"))
    server.in_flight.wait_until_none(10)
    assert capfd.readouterr().err.startswith("%1B]0;x%07%C2%9B /v1/things 404 ")


def test_a_refused_request_line_is_logged_without_the_request_before_it(
    server: FrontServer, capfd: pytest.CaptureFixture[str]
) -> None:
    raw(server, head("GET", "/v1/things") + b"GET /secret HTTP/9.0\r\n\r\n")
    server.in_flight.wait_until_none(10)
    first, second = capfd.readouterr().err.splitlines()
    assert first.startswith("GET /v1/things 200 ")
    assert second.startswith("- - 505 ")


@pytest.mark.parametrize(
    ("number", "paused_ns"),
    [(errno.EMFILE, 50_000_000), (errno.ENFILE, 50_000_000), (errno.ECONNABORTED, 0)],
)
def test_an_accept_without_a_free_file_descriptor_pauses(number: int, paused_ns: int) -> None:
    """The connection stays in the queue, so that the next accept comes at once."""

    class Exhausted(socket.socket):
        def accept(self) -> tuple[socket.socket, object]:
            raise OSError(number, "x")

    gateway = echo_gateway()
    with Exhausted() as listener:
        listener.bind(("127.0.0.1", 0))
        front = FrontServer(listener, gateway, host="127.0.0.1")
        before_ns = gateway.clock.now_ns()
        with pytest.raises(OSError, match="x"):
            front.get_request()
        assert gateway.clock.now_ns() - before_ns == paused_ns
