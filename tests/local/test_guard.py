from ipaddress import IPv4Address

import pytest

from everturn.edge.http_app import MAX_BODY_BYTES as MAX_BODY_BYTES_OF_FUNCTIONS
from everturn.errors import ForbiddenError
from everturn.local.guard import Guard, is_loopback, refusal
from everturn.local.http_messages import MAX_BODY_BYTES, Request

GUARD = Guard("127.0.0.1")
HOST = ("Host", "localhost:8787")
JSON = ("Content-Type", "application/json; charset=utf-8")


def _status(*headers: tuple[str, str], method: str = "POST", target: str = "/v1/x") -> int | None:
    error = GUARD.check(Request(method, target, headers))
    return refusal(error, request_id="r").status if error else None


@pytest.mark.parametrize(
    ("bound", "host", "allowed"),
    [
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "LOCALHOST:1", True),
        ("127.0.0.1", "127.0.0.1:65535", True),
        ("127.0.0.1", "[::1]:8787", True),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "evil.example:8787", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "127.0.0.1:80:80", False),
        ("127.0.0.1", "user@localhost", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "10.0.0.1", False),
        ("10.0.0.1", "10.0.0.1:8787", True),
        ("10.0.0.1", "10.0.0.2:8787", False),
        ("my.box", "my.box:8787", True),
        ("fe80::1", "[fe80::1]:8787", True),
        (str(IPv4Address(0)), "10.0.0.1:8787", True),
        (str(IPv4Address(0)), "evil.example", False),
        ("::", "[fe80::1]", True),
    ],
)
def test_only_hosts_that_name_this_server_are_let_in(bound: str, host: str, allowed: bool) -> None:  # noqa: FBT001 - a table
    assert Guard(bound).allows(host) is allowed


def test_a_host_that_is_missing_or_doubled_is_forbidden() -> None:
    assert _status(method="GET") == 403
    assert _status(HOST, HOST, method="GET") == 403
    assert _status(HOST, method="GET") is None


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_body_has_to_be_declared_json(method: str) -> None:
    """A form of a foreign page can send these three types without asking first."""
    length = ("Content-Length", "2")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert _status(HOST, length, ("Content-Type", kind), method=method) == 415
    assert _status(HOST, length, method=method) == 415
    assert _status(HOST, length, JSON, method=method) is None
    assert _status(HOST, ("Content-Length", "0"), method=method) is None
    assert _status(HOST, method=method) is None


def test_a_length_is_one_number_and_three_mebibytes_at_most() -> None:
    def status(length: str) -> int | None:
        return _status(HOST, JSON, ("Content-Length", length))

    assert status(str(MAX_BODY_BYTES)) is None
    assert status(str(MAX_BODY_BYTES + 1)) == 413
    for broken in ("-1", "+1", "1e3", " 1", "٣", "x", "9" * 40):
        assert status(broken) == 400
    assert _status(HOST, JSON, ("Content-Length", "1"), ("Content-Length", "2")) == 400


def test_the_front_takes_bodies_as_large_as_the_functions_do() -> None:
    assert MAX_BODY_BYTES == MAX_BODY_BYTES_OF_FUNCTIONS


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("localhost", True),
        ("LOCALHOST", True),
        (str(IPv4Address(0)), False),
        ("::", False),
        ("10.0.0.1", False),
        ("my.box", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, loopback: bool) -> None:  # noqa: FBT001 - a table
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("name", ["x-everturn-tenant", "X-Everturn-Actor", "X-EVERTURN-ACTOR"])
@pytest.mark.parametrize("value", ["ann", ""])
def test_headers_that_name_a_user_are_trusted_on_loopback_alone(name: str, value: str) -> None:
    request = Request("GET", "/v1/x", (HOST, (name, value)))
    assert Guard("127.0.0.1").check(request) is None
    for bound in (str(IPv4Address(0)), "10.0.0.1", "my.box", "::"):
        assert isinstance(Guard(bound).check(request), ForbiddenError)
        assert Guard(bound).check(Request("GET", "/v1/x", (HOST,))) is None


def test_chunked_bodies_are_asked_for_with_a_length() -> None:
    assert _status(HOST, JSON, ("Transfer-Encoding", "chunked")) == 411


def test_a_target_begins_with_a_slash() -> None:
    assert _status(HOST, method="GET", target="http://elsewhere/v1/x") == 400
    assert _status(HOST, method="OPTIONS", target="*") == 400


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize(
    "said",
    [
        ("Sec-Fetch-Site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("Sec-Fetch-Site", "Cross-Site"),
        ("Origin", "https://evil.example"),
        ("Origin", "http://localhost:3000"),
        ("Origin", "http://localhost"),
        ("Origin", "http://127.0.0.1:8787"),
        ("origin", "null"),
        ("Origin", ""),
    ],
)
def test_pages_of_other_origins_are_refused(method: str, said: tuple[str, str]) -> None:
    """With a body or without: an empty form is no JSON, and needs none."""
    assert _status(HOST, said, ("Content-Length", "0"), method=method) == 403
    assert _status(HOST, said, JSON, ("Content-Length", "2"), method=method) == 403


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (("Origin", "http://localhost:8787"),),
        (("Origin", "https://LOCALHOST:8787"),),
        (("Sec-Fetch-Site", "same-origin"), ("Origin", "http://localhost:8787")),
        (("Sec-Fetch-Site", "same-origin"),),
        (("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")),
        (("Sec-Fetch-Mode", "cors"),),
    ],
)
def test_our_own_pages_and_what_is_no_browser_are_let_in(
    headers: tuple[tuple[str, str], ...],
) -> None:
    assert _status(HOST, *headers, method="GET") is None
    assert _status(HOST, *headers, JSON, ("Content-Length", "2")) is None


def test_a_foreign_site_beside_our_own_is_refused() -> None:
    """A header that comes twice is judged by both."""
    own, foreign = ("Origin", "http://localhost:8787"), ("Origin", "http://evil.example")
    assert _status(HOST, own, foreign) == 403
    assert _status(HOST, ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Site", "cross-site")) == 403
    assert _status(HOST, own, ("Sec-Fetch-Site", "same-site")) == 403
