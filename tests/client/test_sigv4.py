import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import botocore.auth
import httpx
import pytest
from botocore.credentials import Credentials, ReadOnlyCredentials
from hypothesis import example, given
from hypothesis import strategies as st

from client.sigv4_check import is_signed_by, signed_headers
from everturn.client import sigv4
from everturn.client.sigv4 import SigV4
from everturn.errors import InvalidRequestError, MisconfiguredError

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
API = "https://abc.execute-api.eu-west-1.amazonaws.com"


def _auth(token: str | None = None) -> SigV4:
    return SigV4("eu-west-1", credentials=Credentials(KEY, SECRET, token))


class _Arrived:
    """Keeps the newest request that was sent."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(200)

    @property
    def last(self) -> httpx.Request:
        return self.requests[-1]


def _client(arrived: Callable[[httpx.Request], httpx.Response], auth: httpx.Auth) -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(arrived), base_url=API, auth=auth)


@given(
    st.text(min_size=1).map(lambda id_: id_.encode("utf-8", "replace").decode()),
    st.dictionaries(st.text(), st.text(), max_size=4),
    st.binary(max_size=64),
)
@example("a/b", {"q": "two words"}, b"")
@example("..", {"q": "a+b&c=d", "empty": ""}, b"{}")
@example("%2F", {"~*'()!": "ü"}, b"{}")
@example("a//b:c;d,e@f", {"q": "\U0001f600"}, b"{}")
def test_what_arrives_is_what_was_signed(id_: str, params: dict[str, str], body: bytes) -> None:
    arrived = _Arrived()
    sendable = {
        name.encode("utf-8", "replace").decode(): value.encode("utf-8", "replace").decode()
        for name, value in params.items()
    }
    with _client(arrived, _auth()) as client:
        path = f"/v1/conversations/{quote(id_, safe='')}/turns"
        client.request("POST", path, params=sendable or None, content=body)
    assert is_signed_by(arrived.last, key=KEY, secret=SECRET)
    assert dict(arrived.last.url.params) == sendable


def test_a_query_with_bytes_that_are_no_text_arrives_as_it_was() -> None:
    arrived = _Arrived()
    with _client(arrived, _auth()) as client:
        client.get("/v1/conversations?q=%FF+x")
    assert arrived.last.url.query == b"q=%FF%20x"
    assert is_signed_by(arrived.last, key=KEY, secret=SECRET)


def test_whoever_changes_a_request_on_its_way_is_found_out() -> None:
    """The check itself can fail: path, query, body and user are all covered."""
    arrived = _Arrived()
    with _client(arrived, _auth()) as client:
        client.post("/v1/a", params={"x": 1}, json={}, headers={"X-Everturn-Actor": "ann"})
    sent = arrived.last
    assert is_signed_by(sent, key=KEY, secret=SECRET)
    assert not is_signed_by(sent, key=KEY, secret="another")
    headers = dict(sent.headers)
    for method, url, content, changed in (
        ("PUT", f"{API}/v1/a?x=1", sent.content, headers),
        ("POST", f"{API}/v1/b?x=1", sent.content, headers),
        ("POST", f"{API}/v1/a?x=2", sent.content, headers),
        ("POST", f"{API}/v1/a?x=1", b"[]", headers),
        ("POST", f"{API}/v1/a?x=1", sent.content, headers | {"x-everturn-actor": "bob"}),
    ):
        forged = httpx.Request(method, url, content=content, headers=changed)
        assert not is_signed_by(forged, key=KEY, secret=SECRET)


def test_the_signature_is_the_one_that_aws_gives_as_an_example(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """ListUsers, as the General Reference has shown it since 2015."""
    moment = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: moment)
    arrived = _Arrived()
    monkeypatch.setattr(sigv4, "_SERVICE", "iam")
    auth = SigV4("us-east-1", credentials=Credentials(KEY, SECRET))
    with httpx.Client(transport=httpx.MockTransport(arrived), auth=auth) as client:
        client.get(
            "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
            headers={"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"},
        )
    assert arrived.last.headers["authorization"] == (
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request,"
        " SignedHeaders=content-type;host;x-amz-date,"
        " Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    )


def test_user_key_and_condition_are_signed_and_a_proxys_headers_are_not() -> None:
    arrived = _Arrived()
    sent = {
        "X-Everturn-Actor": "Ünal",
        "X-Everturn-Tenant": "t",
        "Idempotency-Key": "k",
        "If-Match": '"e"',
        "X-Forwarded-For": "1.2.3.4",
    }
    with _client(arrived, _auth("token")) as client:
        client.put("/v1/x", json={}, headers={k.encode(): v.encode() for k, v in sent.items()})
    assert signed_headers(arrived.last) == {
        "content-type",
        "host",
        "idempotency-key",
        "if-match",
        "x-amz-date",
        "x-amz-security-token",
        "x-everturn-actor",
        "x-everturn-tenant",
    }
    assert arrived.last.headers["x-amz-security-token"] == "token"
    assert is_signed_by(arrived.last, key=KEY, secret=SECRET)


def test_a_header_that_is_no_utf_8_is_refused_before_it_is_sent() -> None:
    arrived = _Arrived()
    with _client(arrived, _auth()) as client, pytest.raises(InvalidRequestError) as refused:
        client.get("/v1/x", headers=[(b"X-Everturn-Actor", b"\xff")])
    assert refused.value.field == "x-everturn-actor"
    assert arrived.requests == []


class _Rotating:
    """Credentials that are others each time they are asked for, as they are when they end."""

    def __init__(self) -> None:
        self.asked = 0

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        self.asked += 1
        return ReadOnlyCredentials(f"KEY{self.asked}", SECRET, f"token{self.asked}")


def test_each_request_is_signed_with_the_credentials_of_its_moment() -> None:
    arrived = _Arrived()
    with _client(arrived, SigV4("eu-west-1", credentials=_Rotating())) as client:
        request = client.build_request("POST", "/v1/x", json={})
        for number in (1, 2):
            client.send(request)
            assert arrived.last.headers["x-amz-security-token"] == f"token{number}"
            assert is_signed_by(arrived.last, key=f"KEY{number}", secret=SECRET)


def _chunks() -> Iterator[bytes]:
    yield b'{"turns":'
    yield b"[]}"


async def _async_chunks() -> AsyncIterator[bytes]:
    for chunk in _chunks():
        yield chunk


def test_a_stream_is_read_signed_and_sent_with_its_length() -> None:
    arrived = _Arrived()
    with _client(arrived, _auth()) as client:
        client.post("/v1/x", content=_chunks())
    assert is_signed_by(arrived.last, key=KEY, secret=SECRET)
    assert arrived.last.headers["content-length"] == "12"
    assert "transfer-encoding" not in arrived.last.headers


def test_an_async_client_signs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        botocore.auth, "get_current_datetime", lambda: datetime(2026, 1, 1, tzinfo=UTC)
    )
    arrived = _Arrived()

    async def main() -> None:
        transport = httpx.MockTransport(arrived)
        async with httpx.AsyncClient(transport=transport, base_url=API, auth=_auth()) as client:
            await client.post("/v1/x", content=_async_chunks())

    asyncio.run(main())
    with _client(arrived, _auth()) as client:
        client.post("/v1/x", content=_chunks())
    one, other = arrived.requests
    assert one.headers["authorization"] == other.headers["authorization"]
    assert one.content == other.content == b'{"turns":[]}'


class _Nothing:
    def get_credentials(self) -> None:
        return None


def test_no_credentials_are_said_in_one_line() -> None:
    arrived = _Arrived()
    with (
        _client(arrived, SigV4("eu-west-1", session=_Nothing())) as client,
        pytest.raises(MisconfiguredError, match=r"^no aws credentials were found"),
    ):
        client.get("/v1/x")
    assert arrived.requests == []


def test_credentials_are_found_as_other_tools_find_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "credentials"
    file.write_text(f"[mine]\naws_access_key_id={KEY}\naws_secret_access_key={SECRET}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_PROFILE", "mine")
    arrived = _Arrived()
    with _client(arrived, SigV4("eu-west-1")) as client:
        client.get("/v1/x")
    assert is_signed_by(arrived.last, key=KEY, secret=SECRET)


def test_no_key_shows_in_what_is_printed() -> None:
    assert repr(_auth()) == "SigV4('eu-west-1')"
