import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import MisconfiguredError
from everturn.local.routing import RouteTable
from local.echo import ROUTES

TABLE = RouteTable(route.key for route in ROUTES)


@pytest.mark.parametrize(
    ("path", "decoded"),
    [
        ("a", "a"),
        ("a%2Fb", "a/b"),
        ("a%252Fb", "a%2Fb"),
        ("%2E%2E", ".."),
        ("..", ".."),
        ("%C3%A9", "é"),
        ("a+b", "a+b"),
        ("%00", "\0"),
        ("%20", " "),
    ],
)
def test_a_segment_is_split_off_raw_and_decoded_once(path: str, decoded: str) -> None:
    match = TABLE.match("GET", f"/v1/things/{path}")
    assert match is not None
    assert match.key == "GET /v1/things/{id}"
    assert match.parameters == {"id": decoded}
    assert match.path == f"/v1/things/{decoded}"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/things/"),
        ("GET", "//v1/things"),
        ("GET", "/v1//things"),
        ("GET", "/v1/things/a/"),
        ("GET", "/v1/things/%FF"),
        ("GET", "/v1/things/%zz"),
        ("GET", "/v1/things/%4"),
        ("GET", "/v1/things/%ED%A0%80"),
        ("GET", "/"),
        ("GET", ""),
        ("GET", "*"),
        ("GET", "/V1/things"),
        ("PATCH", "/v1/things"),
        ("get", "/v1/things"),
        ("HEAD", "/v1/things"),
    ],
)
def test_no_route_takes_empty_undecodable_or_unknown(method: str, path: str) -> None:
    assert TABLE.match(method, path) is None


def test_a_literal_segment_is_preferred_to_a_parameter() -> None:
    last = TABLE.match("DELETE", "/v1/things/a/parts/last")
    number = TABLE.match("DELETE", "/v1/things/a/parts/4")
    assert last is not None
    assert last.key.endswith("/last")
    assert number is not None
    assert number.parameters == {"id": "a", "n": "4"}


@given(st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_any_id_comes_back_from_its_quoted_form(text: str) -> None:
    from urllib.parse import quote

    match = TABLE.match("GET", f"/v1/things/{quote(text, safe='')}")
    assert match is not None
    assert match.parameters == {"id": text}


@pytest.mark.parametrize("key", ["$default", "GET /v1/{proxy+}", "GET /v1/"])
def test_a_key_that_is_not_served_is_refused(key: str) -> None:
    with pytest.raises(MisconfiguredError):
        RouteTable([key])
