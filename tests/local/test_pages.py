"""The pages of the local server: the API's description, and the page to try it."""

import re
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

from everturn.local.bundle import find_bundle
from everturn.local.gateway import Pages, open_gateway
from everturn.local.http_messages import Request
from everturn.local.server import FrontServer
from everturn.local.transport import LambdaTransport
from local.raw_http import raw

PAGES = Pages(find_bundle().openapi)
PATHS = ["/openapi.json", "/docs", "/docs/start.js", "/docs/swagger-ui.js", "/docs/swagger-ui.css"]


class _Parts(HTMLParser):
    """Collects what a page loads, and what stands inside scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in {"script", "link"}:
            self.loaded.append(str(named.get("src") or named.get("href")))
        assert not any(name.startswith("on") or name == "style" for name in named)

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and data.strip():
            self.inside.append(data)


@pytest.fixture
def client(tmp_path: Path) -> httpx.Client:
    gateway = open_gateway({"EVERTURN_STORE": str(tmp_path), "EVERTURN_DERIVED_STORE": None})
    return httpx.Client(transport=LambdaTransport(gateway), base_url="http://localhost")


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_served_whole_and_kept_by_nobody(client: httpx.Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert len(response.content) > 100
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_powertools_has_the_parts_of_the_page_where_they_are_read() -> None:
    """Their place is private to it, so that any version may move them (3.37 was tried)."""
    for path in ("/docs/swagger-ui.js", "/docs/swagger-ui.css"):
        found = PAGES.find(Request("GET", path))
        installed = version("aws-lambda-powertools")
        assert found is not None, f"{path} is not in {installed}: see gateway.py"
        assert b"swagger" in found.body


def test_the_description_is_that_of_the_repository(client: httpx.Client) -> None:
    response = client.get("/openapi.json")
    assert response.content == find_bundle().openapi.read_bytes()
    assert response.headers["content-type"] == "application/json"


def test_the_page_loads_files_of_this_server_alone() -> None:
    """So it works without internet, and the strict policy forbids none of it."""
    answer = PAGES.find(Request("GET", "/docs"))
    assert answer is not None
    parts = _Parts()
    parts.feed(answer.body.decode())
    assert parts.inside == []
    assert {part for part in parts.loaded if part != "data:,"} <= set(PATHS)
    policy = dict(answer.headers)["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; ")
    assert not re.search(r"https?:|\*|unsafe-eval", policy)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_a_page_is_only_read(client: httpx.Client, method: str) -> None:
    assert client.request(method, "/docs").status_code == 404


@pytest.mark.parametrize("path", ["/docs/", "/docs/../template.yaml", "/docs/x", "/openapi.yaml"])
def test_nothing_else_lies_beside_the_pages(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_head_of_a_page_has_its_length() -> None:
    answer = PAGES.find(Request("HEAD", "/docs?x=1"))
    assert answer is not None
    assert answer.status == 200


def test_a_bundle_without_a_description_has_no_page_of_it(tmp_path: Path) -> None:
    assert Pages(tmp_path / "openapi.json").find(Request("GET", "/openapi.json")) is None


def test_a_foreign_host_gets_no_page(server: FrontServer) -> None:
    """A page of somebody else must not read the description through a name that he rebinds."""
    request = b"GET /docs HTTP/1.1\r\nHost: evil.example\r\n\r\n"
    assert raw(server, request).startswith(b"HTTP/1.1 403 ")
