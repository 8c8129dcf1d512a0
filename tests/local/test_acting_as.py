"""Who may name a user over HTTP: on loopback anybody, else nobody, on every route."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest

from everturn.local.gateway import Gateway, open_gateway
from everturn.local.server import FrontServer, listen
from functions.every_route import CALLS, Call

NAMES = {"id": "c1", "number": "0", "rid": "0" * 32, "space": "state", "key": "k1"}
TURN = {"turns": [{"role": "user", "text": "mine"}]}
HEADERS = ["x-everturn-actor", "X-Everturn-Tenant", "X-EVERTURN-ACTOR"]
READ = "/v1/conversations/c1"

Serve = Callable[[str], AbstractContextManager[httpx.Client]]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Serve the real routes as if bound to an address; the socket itself is on loopback."""
    settings = {
        "EVERTURN_STORE": str(tmp_path_factory.mktemp("store")), "EVERTURN_DERIVED_STORE": None,
    }  # fmt: skip
    gateway = open_gateway(settings)
    return lambda host: _serving(gateway, host)


@contextmanager
def _serving(gateway: Gateway, host: str) -> Iterator[httpx.Client]:
    with FrontServer(listen("127.0.0.1", 0), gateway, host=host) as front:
        thread = threading.Thread(target=front.serve_forever, args=(0.02,))
        thread.start()
        with httpx.Client(base_url=f"http://127.0.0.1:{front.server_port}", timeout=60) as client:
            yield client
        front.shutdown()
        thread.join()


def _send(client: httpx.Client, call: Call, **headers: str) -> httpx.Response:
    return client.request(call.method, call.path(NAMES), headers=headers, json=call.body)


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "my.box", "::"])  # noqa: S104 - bound by nobody
def test_off_loopback_no_route_lets_anybody_name_a_user(serve: Serve, host: str) -> None:
    """With a body or without one, whatever the letters of the header, known user or not."""
    with serve(host) as client:
        for call in CALLS:
            for header in HEADERS:
                error = _send(client, call, **{header: "bob"}).json()["error"]
                assert error["code"] == "forbidden", call.route


def test_off_loopback_everybody_is_the_one_local_user(serve: Serve) -> None:
    with serve("127.0.0.1") as trusted, serve("10.0.0.1") as open_to_all:
        assert open_to_all.post(f"{READ}/turns", json=TURN).is_success
        named = {"x-everturn-tenant": "local", "x-everturn-actor": "local"}
        assert trusted.get(READ, headers=named).is_success
        assert trusted.get(READ).is_success
        assert trusted.delete(READ).is_success


def test_on_loopback_the_letters_of_a_header_do_not_matter(serve: Serve) -> None:
    with serve("127.0.0.1") as client:
        assert client.post(f"{READ}/turns", json=TURN, headers={HEADERS[2]: "ann"}).is_success
        assert client.get(READ, headers={"X-Everturn-Actor": "ann"}).is_success
        assert client.get(READ, headers={"X-Everturn-Actor": "bob"}).status_code == 404


def test_on_loopback_a_header_that_comes_twice_is_neither_of_the_two(serve: Serve) -> None:
    with serve("127.0.0.1") as client:
        for actor in ("carol", "dave"):
            sent = client.post(f"{READ}/turns", json=TURN, headers={"x-everturn-actor": actor})
            assert sent.is_success
        twice = [("x-everturn-actor", "carol"), ("x-everturn-actor", "dave")]
        assert client.get(READ, headers=twice).status_code == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"]
)
def test_a_page_of_a_foreign_name_reaches_no_route(serve: Serve, host: str) -> None:
    """A browser that was lied to about an address sends the name that it believes in."""
    with serve("127.0.0.1") as client:
        for call in CALLS:
            assert _send(client, call, host=host).status_code == 403, call.route


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_form_of_a_foreign_page_reaches_no_route_with_a_body(serve: Serve, kind: str) -> None:
    with serve("127.0.0.1") as client:
        for call in CALLS:
            if call.method != "GET":
                sent = client.request(
                    call.method, call.path(NAMES), content=b"{}", headers={"content-type": kind}
                )
                assert sent.status_code == 415, call.route
