import http.client
import json
import socket
import threading
from collections.abc import Iterator

import pytest

from everturn.errors import MisconfiguredError
from everturn.local.guard import Guard
from everturn.local.messages import MAX_BODY_BYTES
from everturn.local.server import FrontServer, InFlight, listen, url_of
from local.echo import echo_gateway, fail


@pytest.fixture
def server() -> Iterator[FrontServer]:
    with FrontServer(listen("127.0.0.1", 0), echo_gateway(), host="127.0.0.1") as front:
        thread = threading.Thread(target=front.serve_forever, args=(0.02,))
        thread.start()
        yield front
        front.shutdown()
        thread.join()


@pytest.fixture
def connection(server: FrontServer) -> Iterator[http.client.HTTPConnection]:
    made = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    yield made
    made.close()


def _connect(server: FrontServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.server_port), timeout=10)


def _raw(server: FrontServer, sent: bytes) -> bytes:
    """Send bytes as they are; return all that comes until the server closes."""
    with _connect(server) as client:
        client.sendall(sent)
        received = b""
        while chunk := client.recv(65_536):
            received += chunk
        return received


def _head(method: str, path: str, *headers: str) -> bytes:
    lines = (f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", "")
    return "\r\n".join(lines).encode()


def _error(answer: bytes) -> dict[str, object]:
    error: dict[str, object] = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert error.keys() - {"field"} == {"code", "message", "request_id", "retryable"}
    return error


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
    answer = _raw(server, request)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert _error(answer)["code"] == "forbidden"
    assert b"connection: close" in answer
    assert b"cache-control: no-store" in answer


def test_users_are_named_on_loopback_alone(server: FrontServer) -> None:
    """The body is that of edge/answers.py; without the headers the same client is let in."""
    named = _head("GET", "/v1/things", "X-Everturn-Actor: ann", "Connection: close")
    assert _raw(server, named).startswith(b"HTTP/1.1 200 ")
    server.guard = Guard("10.0.0.1")
    answer = _raw(server, named)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert _error(answer)["code"] == "forbidden"
    plain = _raw(server, _head("GET", "/v1/things", "Connection: close"))
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
    assert _raw(server, b"GET /v1/things HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 403 ")
    assert _raw(server, b"GET /v1/things HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403 ")


def test_a_body_that_is_no_json_is_refused_before_any_handler(server: FrontServer) -> None:
    answer = _raw(server, _head("POST", "/v1/things", "Content-Length: 2") + b"{}")
    assert answer.startswith(b"HTTP/1.1 415 ")
    assert _error(answer)["code"] == "unsupported_media_type"


def test_a_body_above_three_mebibytes_is_refused_unread(server: FrontServer) -> None:
    """The client still sends; it gets the answer all the same, not a reset."""
    headers = (f"Content-Length: {MAX_BODY_BYTES + 1}", "Content-Type: application/json")
    answer = _raw(server, _head("POST", "/v1/things", *headers) + b" " * 400_000)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert _error(answer)["code"] == "too_large"


def test_a_body_of_three_mebibytes_is_taken(connection: http.client.HTTPConnection) -> None:
    body = b" " * MAX_BODY_BYTES
    connection.request("POST", "/v1/things", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    assert response.status == 200
    assert len(json.loads(response.read())["event"]["body"]) == MAX_BODY_BYTES


def test_a_client_that_asks_first_is_told_to_go_on(server: FrontServer) -> None:
    """RFC 9110, section 10.1.1; curl asks so for bodies above 1 MB."""
    headers = ("Content-Type: application/json", "Content-Length: 2", "Expect: 100-continue")
    with _connect(server) as client:
        client.sendall(_head("POST", "/v1/things", *headers))
        assert client.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")


def test_a_client_that_asks_first_with_too_much_is_not_told_to_go_on(server: FrontServer) -> None:
    length = f"Content-Length: {MAX_BODY_BYTES + 1}"
    headers = ("Content-Type: application/json", length, "Expect: 100-continue")
    with _connect(server) as client:
        client.sendall(_head("POST", "/v1/things", *headers))
        assert client.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_chunked_bodies_are_refused_under_a_code_of_their_own(server: FrontServer) -> None:
    head = _head(
        "POST", "/v1/things", "Content-Type: application/json", "Transfer-Encoding: chunked"
    )
    answer = _raw(server, head + b"2\r\n{}\r\n0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert _error(answer)["code"] == "length_required"


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
    answer = _raw(server, sent)
    assert answer.split(b" ")[1] == status
    assert _error(answer)["code"] in {"malformed_request", "too_large"}
    assert b"secret" not in answer
    assert b"cache-control: no-store" in answer


def test_a_body_that_ends_early_reaches_no_handler(server: FrontServer) -> None:
    headers = ("Content-Type: application/json", "Content-Length: 10")
    with _connect(server) as client:
        client.sendall(_head("POST", "/v1/things", *headers) + b"{}")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(65_536) == b""


def test_the_access_log_has_no_query_and_no_control_characters(
    server: FrontServer, capfd: pytest.CaptureFixture[str]
) -> None:
    _raw(server, _head("GET", "/v1/things/\x1b[2J?q=secret", "Connection: close"))
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
