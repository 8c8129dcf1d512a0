"""Requests as bytes, for what no HTTP client would send."""

import json
import socket

from everturn.local.server import FrontServer


def connect(server: FrontServer) -> socket.socket:
    """Connect to a server."""
    return socket.create_connection(("127.0.0.1", server.server_port), timeout=60)


def raw(server: FrontServer, sent: bytes) -> bytes:
    """Send bytes as they are; return all that comes until the server closes."""
    with connect(server) as client:
        client.sendall(sent)
        received = b""
        while chunk := client.recv(65_536):
            received += chunk
        return received


def head(method: str, path: str, *headers: str) -> bytes:
    """Return a request without a body, in bytes."""
    lines = (f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", "")
    return "\r\n".join(lines).encode()


def error(answer: bytes) -> dict[str, object]:
    """Return the error of an answer of the API's own form."""
    found: dict[str, object] = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert found.keys() - {"field"} == {"code", "message", "request_id", "retryable"}
    return found
