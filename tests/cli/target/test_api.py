from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from everturn.cli.output.errors import ApiError, CliError
from everturn.cli.target.api import (
    LISTING,
    TRANSPORT_FAILURES,
    Api,
    conversation_path,
    encoded,
    memory_path,
)


def _api(answer: Callable[[httpx.Request], httpx.Response]) -> Api:
    transport = httpx.MockTransport(answer)
    return Api(httpx.Client(transport=transport, base_url="http://server/stage"))


def _subclasses(kind: type[Exception]) -> set[type[Exception]]:
    return {kind} | {found for child in kind.__subclasses__() for found in _subclasses(child)}


def test_every_failure_of_the_network_has_a_meaning() -> None:
    assert set(TRANSPORT_FAILURES) <= _subclasses(httpx.RequestError) | {httpx.InvalidURL}
    for kind in _subclasses(httpx.RequestError):
        assert any(base in TRANSPORT_FAILURES for base in kind.__mro__)


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (httpx.ConnectError("x"), "nothing answers"),
        (httpx.ConnectTimeout("x"), "no answer in time"),
        (httpx.ReadError("x"), "the connection failed"),
        (httpx.UnsupportedProtocol("x"), "http://"),
        (httpx.LocalProtocolError("x"), "cannot be sent in a header"),
        (httpx.DecodingError("x"), "no everturn"),
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
    """As the store would keep them (values/visible_text.py)."""
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
        turn = {"index": first, "role": "user", "text": "x"}
        page: dict[str, object] = {"turns": [turn], "turn_count": 3}
        return httpx.Response(200, json=page | ({"next": first + 1} if first < 2 else {}))

    pages = list(_api(answer).turn_pages("c"))
    assert [turn["index"] for page in pages for turn in page["turns"]] == [0, 1, 2]
    assert asked == ["0", "1", "2"]


def test_an_id_that_is_no_unicode_text_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(CliError, match=r"no valid unicode text conversation=a\ufffd$"):
        conversation_path("a\ud800")


_ROW = {"conversation_id": "c", "title": "", "turn_count": 1, "updated": "", "preview": ""}


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, content=b"\xff\xfe{"),
        httpx.Response(200, content=b"[" * 100_000),
        httpx.Response(200, json=[1]),
        httpx.Response(200, json=None),
        httpx.Response(200, json={"conversations": [], "skipped": "0"}),
        httpx.Response(200, json={"conversations": 7, "skipped": 0}),
        httpx.Response(200, json={"conversations": [{**_ROW, "title": 7}], "skipped": 0}),
        httpx.Response(200, json={"conversations": [], "skipped": 0, "next_cursor": 7}),
    ],
)
def test_what_is_no_everturn_is_said_to_be_none(response: httpx.Response) -> None:
    with pytest.raises(CliError, match=r"^this is no everturn: .* url=http://server/stage/$"):
        _api(lambda _: response).read("/v1/conversations", shape=LISTING)


def test_an_answer_may_hold_more_than_its_shape_names() -> None:
    listing = {"conversations": [{**_ROW, "x": 1}], "skipped": 0, "next_cursor": None, "x": 1}
    api = _api(lambda _: httpx.Response(200, json=listing))
    assert api.read("/v1/conversations", shape=LISTING) == listing


def test_a_redirect_is_not_followed_and_its_address_is_said_in_one_line() -> None:
    moved = httpx.Response(302, headers={"location": "https://sign.in/"})
    with pytest.raises(CliError, match=r"elsewhere.* status=302 location=https://sign\.in/ url="):
        _api(lambda _: moved).read("/v1/conversations")


def test_an_answer_that_cannot_be_unpacked_is_one_error() -> None:
    with pytest.raises(CliError, match="no everturn"):
        _api(lambda _: httpx.Response(200, stream=_NoGzip(), headers=_GZIP)).read("/v1")


_GZIP = {"content-encoding": "gzip"}


class _NoGzip(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        yield b"no gzip"


def test_an_error_message_is_one_line_whatever_the_server_says() -> None:
    error = {"code": "a\nb", "message": "one\nerror: two\x1b[2J"}
    with pytest.raises(ApiError) as caught:
        _api(lambda _: httpx.Response(422, json={"error": error})).read("/v1")
    assert str(caught.value) == "one error: two[2J code=a b"


def test_headers_and_parameters_are_sent_as_utf_8() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={})

    key = {"idempotency-key": "schlüssel\udcff"}
    _api(answer).call("POST", "/v1", headers=key, params={"folder": "\ud800"})
    assert (b"idempotency-key", "schlüssel".encode() + b"\xff") in seen[0].headers.raw
    assert seen[0].url.query == b"folder=%EF%BF%BD"


@pytest.mark.parametrize(
    ("rid", "path"),
    [
        ("ab12", "/v1/memories/ab12"),
        ("everturn://memory/fact/ab12", "/v1/memories/ab12"),
        ("a/b", "/v1/memories/a%2Fb"),
        ("..", "/v1/memories/%2E%2E"),
        ("everturn://memory/fact/..", "/v1/memories/%2E%2E"),
        ("", "/v1/memories/"),
    ],
)
def test_a_memory_is_named_by_its_id_or_its_uri(rid: str, path: str) -> None:
    assert memory_path(rid) == path


def test_an_id_that_is_no_text_is_refused() -> None:
    with pytest.raises(CliError, match="no valid unicode text memory="):
        memory_path("\udcff")


def _refused(*, in_process: bool) -> str:
    error = {"code": "misconfigured", "message": "no"}
    transport = httpx.MockTransport(lambda _: httpx.Response(500, json={"error": error}))
    client = httpx.Client(transport=transport, base_url="http://server")
    with pytest.raises(ApiError) as caught:
        Api(client, in_process=in_process).read("/v1/status")
    return str(caught.value)


def test_who_runs_it_himself_is_told_what_says_more() -> None:
    """A bucket has no log beside it, and an answer hides why a store failed."""
    assert _refused(in_process=True) == "no, everturn doctor says what code=misconfigured"
    assert _refused(in_process=False) == "no code=misconfigured"
