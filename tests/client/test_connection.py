import asyncio
from collections.abc import Callable

import httpx
import pytest

from client.faults import FaultyNetwork, answers
from client.hand_time import HandClock
from client.raw_server import LIST, Peer, head, lists, raw_server
from everturn.client import AsyncEverturn, Everturn
from everturn.client.connection import Connection
from everturn.errors import InvalidRequestError, MisconfiguredError

Bare = Callable[..., tuple[Everturn, FaultyNetwork, HandClock]]
_LIST = {"conversations": [], "skipped": 0}


def test_every_request_names_the_user_the_token_and_the_program(bare: Bare) -> None:
    client, network, _ = bare(token="t-1", actor="Ünal", tenant="acme")
    network.meets([answers(200, _LIST)])
    client.list_conversations()
    headers = dict(network.requests[0].headers.raw)
    told = {name.lower(): value for name, value in headers.items()}
    assert told[b"authorization"] == b"Bearer t-1"
    assert told[b"x-everturn-actor"] == "Ünal".encode()
    assert told[b"x-everturn-tenant"] == b"acme"
    assert told[b"user-agent"].startswith(b"everturn/")
    assert b"content-type" not in told


def test_a_body_says_that_it_is_json(bare: Bare) -> None:
    client, network, _ = bare()
    network.meets([answers(200, {"backends": 1})])
    with pytest.raises(Exception, match="no everturn"):
        client.recall("x")
    assert network.requests[0].headers["content-type"] == "application/json"
    assert "authorization" not in network.requests[0].headers


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"url": "localhost:8787"}, "url"),
        ({"url": ""}, "url"),
        ({"url": "ftp://x"}, "url"),
        ({"url": "https://"}, "url"),
        ({"url": "https://x:port"}, "url"),
        ({"url": "https://x/?a=1"}, "url"),
        ({"actor": ""}, "actor"),
        ({"actor": "a\nb"}, "actor"),
        ({"actor": "\ud800"}, "actor"),
        ({"actor": "a", "tenant": " "}, "tenant"),
        ({"tenant": "acme"}, "actor"),
        ({"token": "a\r\nb: c"}, "token"),
        ({"token": ""}, "token"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"timeout_s": float("nan")}, "timeout_s"),
        ({"timeout_s": float("inf")}, "timeout_s"),
        ({"timeout_s": 1e10}, "timeout_s"),
        ({"timeout_s": "5"}, "timeout_s"),
        ({"timeout_s": True}, "timeout_s"),
        ({"url": None}, "url"),
        ({"url": b"https://x"}, "url"),
        ({"url": "https://a..b"}, "url"),
        ({"url": "https://" + "a" * 300}, "url"),
        ({"url": "https://xn--"}, "url"),
        ({"actor": 5}, "actor"),
        ({"token": 5}, "token"),
        ({"auth": ("user", "password")}, "auth"),
        ({"auth": httpx.BasicAuth("a", "b"), "token": "t-1"}, "auth"),
        ({"url": "https://u:p@x", "token": "t-1"}, "auth"),
        ({"url": "https://u:p@x", "auth": httpx.BasicAuth("a", "b")}, "auth"),
    ],
)
def test_what_cannot_work_is_refused_when_a_client_is_made(
    options: dict[str, object], field: str
) -> None:
    for kind in (Everturn, AsyncEverturn):
        with pytest.raises(InvalidRequestError) as raised:
            kind(**{"url": "https://x", **options})  # type: ignore[arg-type]  # what is refused
        assert raised.value.field == field


@pytest.mark.parametrize(
    "url", ["http://memory.example", "http://10.0.0.1", "http://localhost.example"]
)
def test_what_proves_who_calls_does_not_go_to_another_machine_in_the_clear(url: str) -> None:
    for named in (
        {"url": url, "token": "t-1"},
        {"url": url, "auth": httpx.BasicAuth("a", "b")},
        {"url": url.replace("//", "//user:password@")},
    ):
        with pytest.raises(InvalidRequestError, match="https") as raised:
            Connection(**named)
        assert "password" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["https://memory.example", "http://localhost:8787", "http://127.0.0.1", "http://[::1]:1"]
)
def test_a_token_goes_by_https_and_within_this_machine(url: str) -> None:
    Connection(url=url, token="t-1")


@pytest.mark.parametrize("kind", [httpx.Client, httpx.AsyncClient])
@pytest.mark.parametrize("url", ["http://127.0.0.1:8787", "http://localhost", "http://[::1]"])
def test_no_proxy_of_the_environment_is_asked_for_this_machine(
    url: str, kind: Callable[..., httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    assert Connection(url=url).opened(kind, None)._mounts == {}
    assert Connection(url="http://memory.example").opened(kind, None)._mounts != {}


def test_tasks_reach_this_machine_past_a_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And other machines through it, as threads do."""
    asked: list[bytes] = []

    def proxy(peer: Peer) -> None:
        asked.append(peer.request())
        peer.send(head(len(LIST)) + LIST)

    async def listed(url: str) -> None:
        async with AsyncEverturn(url) as memory:
            await memory.list_conversations()

    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with raw_server(proxy) as between, raw_server(lists) as server:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, between.url)
        asyncio.run(listed(server.url))
        assert asked == []
        asyncio.run(listed("http://memory.example"))
        with Everturn("http://memory.example") as memory:
            memory.list_conversations()
    assert [line.split()[1] for line in asked] == [
        b"http://memory.example/v1/conversations",
        b"http://memory.example/v1/conversations",
    ]


def test_a_proxy_that_cannot_be_one_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://proxy.example")
    with pytest.raises(MisconfiguredError, match="environment"):
        Everturn("http://memory.example")


def test_what_a_client_shows_of_itself_holds_no_secret() -> None:
    for client in (
        Everturn("https://user:secret@memory.example/prod", actor="dana"),
        Everturn("https://memory.example/prod", "secret", actor="dana"),
    ):
        assert repr(client) == "Everturn('https://memory.example/prod', actor='dana')"
        assert "secret" not in repr(client._connection)


def test_a_path_before_the_api_stays() -> None:
    network = FaultyNetwork()
    network.meets([answers(200, _LIST)])
    Everturn("https://x/prod/", transport=network).list_conversations()
    assert network.requests[0].url.path == "/prod/v1/conversations"
