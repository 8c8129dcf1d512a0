from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from everturn.cli.api import TRANSPORT_FAILURES, Api, conversation_path, encoded
from everturn.cli.failures import ApiError, CliError


def _api(answer: Callable[[httpx.Request], httpx.Response]) -> Api:
    transport = httpx.MockTransport(answer)
    return Api(httpx.Client(transport=transport, base_url="http://server/stage"))


def _subclasses(kind: type[Exception]) -> set[type[Exception]]:
    return {kind} | {found for child in kind.__subclasses__() for found in _subclasses(child)}


def test_every_failure_of_the_network_has_a_meaning() -> None:
    assert set(TRANSPORT_FAILURES) <= _subclasses(httpx.TransportError) | {httpx.InvalidURL}
    for kind in _subclasses(httpx.TransportError):
        assert any(base in TRANSPORT_FAILURES for base in kind.__mro__)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (httpx.ConnectError("x"), "nothing answers"),
        (httpx.ConnectTimeout("x"), "no answer in time"),
        (httpx.ReadError("x"), "the connection failed"),
        (httpx.UnsupportedProtocol("x"), "http://"),
    ],
)
def test_a_failure_of_the_network_is_said_with_the_url(failure: Exception, said: str) -> None:
    def fail(_request: httpx.Request) -> httpx.Response:
        raise failure

    with pytest.raises(CliError, match=said) as caught:
        _api(fail).read("/v1/conversations")
    assert "url=http://server/stage" in str(caught.value)
    assert caught.value.__cause__ is failure


def test_an_error_answer_is_one_line_with_its_parts() -> None:
    error = {"code": "invalid_request", "message": "no", "field": "ts", "request_id": "r"}
    api = _api(lambda _: httpx.Response(422, json={"error": error}))
    with pytest.raises(ApiError, match=r"^no code=invalid_request field=ts request=r$"):
        api.read("/v1/conversations")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (httpx.Response(403, json={"message": "Forbidden"}), "forbidden status=403"),
        (httpx.Response(502, text="<html>"), "bad gateway status=502"),
        (httpx.Response(500, json=[1]), "internal server error status=500"),
    ],
)
def test_answers_of_others_are_said_too(response: httpx.Response, said: str) -> None:
    with pytest.raises(ApiError) as caught:
        _api(lambda _: response).read("/v1/conversations")
    assert str(caught.value) == said


@pytest.mark.parametrize("name", ["a/b", "a%2Fb", "..", ".", "a?b#c", "é 😀", "a+b", "x.y"])
def test_any_id_is_one_segment_of_the_path(name: str) -> None:
    from urllib.parse import unquote

    seen: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        return httpx.Response(200, json={})

    _api(answer).read(f"{conversation_path(name)}/turns", {"last": 1})
    path = seen[0].decode().partition("?")[0]
    assert path.startswith("/stage/v1/conversations/")
    assert unquote(path.split("/")[4]) == name
    assert path.split("/")[5:] == ["turns"]


def test_lone_surrogates_are_sent_as_replacement_characters() -> None:
    """As the store would keep them (domain/visible_text.py)."""
    assert encoded({"a": "\ud800x", "c": "é😀"}) == '{"a":"\ufffdx","c":"é😀"}'.encode()


@pytest.mark.parametrize(
    ("status", "written", "named"),
    [(500, True, True), (503, True, True), (422, True, False), (500, False, False)],
)
def test_the_log_is_named_where_it_knows_more_than_the_answer(
    tmp_path: Path,
    status: int,
    written: bool,  # noqa: FBT001 - a table
    named: bool,  # noqa: FBT001
) -> None:
    log = tmp_path / "log"
    if written:
        log.write_text("x")
    error = {"code": "c", "message": "no"}
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json={"error": error}))
    api = Api(httpx.Client(transport=transport, base_url="http://server"), log=log)
    with pytest.raises(ApiError) as caught:
        api.read("/v1/conversations")
    assert str(caught.value) == ("no code=c" + (f" log={log}" if named else ""))


def test_pages_of_turns_are_followed_to_the_last() -> None:
    """However few turns one page holds."""
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        first = int(request.url.params["from"])
        asked.append(str(first))
        page: dict[str, object] = {"turns": [{"index": first}], "turn_count": 3}
        return httpx.Response(200, json=page | ({"next": first + 1} if first < 2 else {}))

    pages = list(_api(answer).turn_pages("c"))
    assert [turn["index"] for page in pages for turn in page["turns"]] == [0, 1, 2]
    assert asked == ["0", "1", "2"]
