import httpx
import pytest

from everturn.local.http_messages import MAX_BODY_BYTES
from everturn.local.transport import LambdaTransport
from local.echo import echo_gateway


@pytest.fixture
def client() -> httpx.Client:
    return httpx.Client(transport=LambdaTransport(echo_gateway()), base_url="http://localhost")


def test_a_client_reaches_handlers_without_a_socket(client: httpx.Client) -> None:
    response = client.post("/v1/things?x=1", json={"a": "é"})
    assert response.status_code == 200
    event = response.json()["event"]
    assert event["body"] == '{"a":"é"}'
    assert event["queryStringParameters"] == {"x": "1"}
    assert response.headers.get_list("set-cookie") == ["a=1", "b=2"]


def test_an_encoded_slash_stays_in_the_id(client: httpx.Client) -> None:
    event = client.get("/v1/things/a%2Fb%252F").json()["event"]
    assert event["pathParameters"] == {"id": "a/b%2F"}


def test_a_body_above_three_mebibytes_is_refused(client: httpx.Client) -> None:
    response = client.post("/v1/things", content=b"x" * (MAX_BODY_BYTES + 1))
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


def test_what_no_route_takes_is_not_found(client: httpx.Client) -> None:
    assert client.get("/v1/things/").json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    ("sent", "read"),
    [("Ünal".encode(), "Ünal"), (b"caf\xe9", "café"), (b" ann\t", "ann"), (b"", "")],
)
def test_a_header_is_read_as_a_socket_would(client: httpx.Client, sent: bytes, read: str) -> None:
    event = client.get("/v1/things", headers=[(b"X-Everturn-Actor", sent)]).json()["event"]
    assert event["headers"]["x-everturn-actor"] == read
