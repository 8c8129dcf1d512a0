from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qsl, unquote

import httpx
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from everturn.client.calls.call import (
    header_bytes,
    json_bytes,
    memory_path,
    moment_text,
    path_of,
    query_of,
    well_formed,
)
from everturn.errors import InvalidRequestError

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
_ODD = st.sampled_from([".", "..", "...", "/", "a/../b", "%2E%2E", "?", "#", "a b", "\\", "é"])


@given(ids=st.lists(_TEXT | _ODD, min_size=1, max_size=3))
def test_ids_stay_segments_on_their_way(ids: list[str]) -> None:
    """Whatever they are, and whatever httpx makes of the path."""
    url = httpx.Client(base_url="http://localhost/stage/").build_request("GET", path_of(*ids)).url
    segments = url.raw_path.decode("ascii").split("/")
    assert segments[:3] == ["", "stage", "v1"]
    assert [unquote(segment) for segment in segments[3:]] == ids
    assert url.query == b""


@pytest.mark.parametrize("id_", ["", "\ud800"])
def test_what_is_no_id_is_refused(id_: str) -> None:
    with pytest.raises(InvalidRequestError):
        path_of("conversations", id_)


def test_a_memory_is_named_by_its_id_or_its_uri() -> None:
    assert memory_path("abc") == "/v1/memories/abc"
    assert memory_path("everturn://memory/fact/abc", "promote") == "/v1/memories/abc/promote"
    with pytest.raises(InvalidRequestError):
        memory_path("everturn://memory/")


@given(text=_TEXT, number=st.integers())
def test_parameters_are_read_as_they_were_given(text: str, number: int) -> None:
    query = query_of({"q": text, "n": number, "none": None})
    url = httpx.Client(base_url="http://localhost").build_request("GET", f"/x?{query}").url
    assert dict(parse_qsl(url.query.decode(), keep_blank_values=True)) == {
        "q": text,
        "n": str(number),
    }
    assert b"+" not in url.query


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (True, "true"),
        (False, "false"),
        (["user", "tool"], "user%2Ctool"),
        ("user", "user"),
        (
            datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2))),
            "2026-01-02T00%3A00%3A00%2B02%3A00",
        ),
        ("a\ud800", "a%EF%BF%BD"),
    ],
)
def test_a_parameter_has_one_form(value: str, told: str) -> None:
    assert query_of({"x": value}) == f"x={told}"


def test_a_datetime_without_a_zone_is_refused() -> None:
    """Whether it is of this place or UTC cannot be guessed."""
    with pytest.raises(InvalidRequestError) as raised:
        moment_text(datetime(2026, 1, 2), field="since")  # noqa: DTZ001 - what is refused
    assert raised.value.field == "since"
    with pytest.raises(InvalidRequestError):
        json_bytes({"ts": datetime(2026, 1, 2)})  # noqa: DTZ001


def test_json_is_utf_8_without_lone_surrogates() -> None:
    assert json_bytes({"a": "é\ud800"}) == '{"a":"é\ufffd"}'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1}, b"x", object()])
def test_what_json_has_no_form_for_is_refused(value: object) -> None:
    with pytest.raises(InvalidRequestError, match="no json"):
        json_bytes({"content": value})


def test_what_holds_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(InvalidRequestError):
        json_bytes(value)


@given(text=_TEXT)
def test_a_header_arrives_as_it_was_given(text: str) -> None:
    try:
        told = header_bytes(text, field="actor")
    except InvalidRequestError:
        reject()
    request = httpx.Request("GET", "http://x", headers=[(b"x-everturn-actor", told)])
    sent = dict(request.headers.raw)[b"x-everturn-actor"]
    assert sent.strip() == sent
    assert sent.decode() == text


@pytest.mark.parametrize("text", ["", " a", "a ", "a\nb: c", "a\r", "\x00", "\ud800", "x" * 5_000])
def test_what_would_not_arrive_in_a_header_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError):
        header_bytes(text, field="actor")


@given(text=st.text())
def test_well_formed_text_can_be_encoded(text: str) -> None:
    assert len(well_formed(text).encode()) >= len(text)
