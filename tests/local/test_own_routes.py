"""Everturn's own template and functions through the gateway, on a directory."""

from pathlib import Path

import httpx
import pytest

from everturn.errors import MisconfiguredError
from everturn.local.gateway import open_gateway
from everturn.local.transport import LambdaTransport


@pytest.fixture
def client(tmp_path: Path) -> httpx.Client:
    settings = {"EVERTURN_STORE": str(tmp_path), "EVERTURN_DERIVED_STORE": None}
    gateway = open_gateway(settings, log=tmp_path / "logs" / "everturn.log")
    return httpx.Client(transport=LambdaTransport(gateway), base_url="http://localhost")


def test_a_conversation_goes_through_every_route(
    client: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = {"turns": [{"role": "user", "text": "hello"}]}
    path = "/v1/conversations/a%2Fb"
    assert client.post(f"{path}/turns", json=turns).json()["conversation_id"] == "a/b"
    assert client.post("/v1/conversations", json={"conversation_id": "c"}).status_code == 201
    assert client.get(path).json()["turn_count"] == 1
    assert client.get(f"{path}/turns?last=1").json()["turns"][0]["text"] == "hello"
    assert client.patch(path, json={"title": "Greeting"}).json()["title"] == "Greeting"
    assert client.get("/v1/conversations").json()["conversations"][0]["title"] == "Greeting"
    assert client.get(f"{path}/export").json()["turns"][0]["text"] == "hello"
    assert client.delete(path).json()["complete"] is True
    assert client.get(path).status_code == 404
    assert capsys.readouterr() == ("", "")


def test_a_document_goes_through_every_route(client: httpx.Client) -> None:
    path = "/v1/documents/memory/%2Fmemories%2Fnotes.md"
    written = client.put(path, json={"value": "hello"}, headers={"if-none-match": "*"})
    assert written.status_code == 201
    known = {"if-none-match": written.headers["etag"]}
    assert client.get(path).json()["value"] == "hello"
    assert client.get(path, headers=known).status_code == 304
    rows = client.get("/v1/documents/memory", params={"prefix": "/memories/"}).json()["documents"]
    assert [row["key"] for row in rows] == ["/memories/notes.md"]
    assert client.delete(path).json()["complete"] is True
    assert client.get(path).status_code == 404


def test_a_memory_goes_through_every_route(
    client: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    def remember(number: int) -> httpx.Response:
        source = {"conversation_id": f"c{number}"}
        body = {"kind": "pattern", "statement": "Test, then push.", "source": source}
        return client.post("/v1/memories", json=body)

    assert [remember(number).status_code for number in range(3)] == [201, 200, 200]
    [memory] = client.get("/v1/memories").json()["memories"]
    path = f"/v1/memories/{memory['id']}"
    assert client.get(path).json()["memory"]["count"] == 3
    assert client.patch(path, json={"pinned": True}).json()["memory"]["pinned"] is True
    outcome = client.post(f"{path}/outcomes", json={"status": "success"}).json()
    assert outcome["memory"]["strength"] > memory["strength"]
    assert "Test, then push." in client.post(f"{path}/promote", json={}).json()["files"]["SKILL.md"]
    query = {"query": "push"}
    [snippet] = client.post("/v1/memories/retrieve", json=query).json()["snippets"]
    assert snippet["uri"] == memory["uri"]
    [pattern] = client.post("/v1/memories/procedural", json={}).json()["patterns"]
    assert pattern["uri"] == memory["uri"]
    pinned = client.post("/v1/memories/pinned", json={"goal": "Ship it."}).json()
    assert pinned["parts"]["goal"] == ["Ship it."]
    assert "Test, then push." in client.post("/v1/context", json=query).json()["text"]
    assert client.delete(path).json()["complete"] is True
    assert client.get(path).status_code == 404
    assert capsys.readouterr() == ("", "")


def test_users_named_in_headers_do_not_see_each_other(client: httpx.Client) -> None:
    turns = {"turns": [{"role": "user", "text": "mine"}]}
    ann, bob = {"x-everturn-actor": "ann"}, {"x-everturn-actor": "bob"}
    assert client.post("/v1/conversations/c/turns", json=turns, headers=ann).status_code == 200
    assert client.get("/v1/conversations/c", headers=ann).status_code == 200
    assert client.get("/v1/conversations/c", headers=bob).status_code == 404
    assert client.get("/v1/conversations/c").status_code == 404


def test_handlers_that_refuse_their_settings_start_nothing() -> None:
    with pytest.raises(MisconfiguredError, match="bucket"):
        open_gateway({"EVERTURN_STORE": "s3://"})
