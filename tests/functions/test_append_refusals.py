"""Bodies that an append refuses: each by its status and the path of its field, never by a 500."""

import json
from typing import Any

import pytest

from functions.house import House, fault

MIB = 1_048_576
TURN = {"role": "user", "text": "a"}


def _with(**fields: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any JSON value
    return [TURN, {**TURN, **fields}]


@pytest.mark.parametrize(
    ("turns", "path"),
    [
        (_with(foo=1), "turns.1.foo"),
        (_with(role=None), "turns.1.role"),
        (_with(role=5), "turns.1.role"),
        (_with(role=""), "turns.1.role"),
        (_with(role=" \u200b"), "turns.1.role"),
        (_with(role="r" * 65), "turns.1.role"),
        ([{"text": "a"}], "turns.0.role"),
        (_with(text=None), "turns.1.text"),
        (_with(text=7), "turns.1.text"),
        (_with(text=["a"]), "turns.1.text"),
        ([{"role": "user"}], "turns.0.text"),
        (_with(ts=1_767_225_600), "turns.1.ts"),
        (_with(ts="tomorrow"), "turns.1.ts"),
        (_with(ts="1969-12-31T23:59:59Z"), "turns.1.ts"),
        (_with(ts="2101-01-01T00:00:00Z"), "turns.1.ts"),
        (_with(ts="2026-13-01T00:00:00Z"), "turns.1.ts"),
        (_with(name=7), "turns.1.name"),
        (_with(name="n" * 257), "turns.1.name"),
        (_with(intent_id={}), "turns.1.intent_id"),
        (_with(metadata=[]), "turns.1.metadata"),
        (_with(metadata={"k": "v" * 16_384}), "turns.1.metadata"),
        ([], "turns"),
        (None, "turns"),
        ("a", "turns"),
        ([TURN, "a"], "turns.1"),
        ([TURN, None], "turns.1"),
    ],
)
def test_a_wrong_field_of_a_turn_is_named_by_its_path(
    directory_house: House, turns: object, path: str
) -> None:
    error = fault(directory_house.append_turns("c1", turns), 422)
    assert (error["code"], error["field"], error["retryable"]) == ("invalid_request", path, False)
    assert directory_house.data.calls == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "turns"),
        ({"turns": [TURN], "conversation_id": "c2"}, "conversation_id"),
        ({"turns": [TURN], "expected_turn_count": -1}, "expected_turn_count"),
        ({"turns": [TURN], "expected_turn_count": "1"}, "expected_turn_count"),
        ({"turns": [TURN], "expected_turn_count": 1.5}, "expected_turn_count"),
        ({"turns": [TURN], "expected_turn_count": True}, "expected_turn_count"),
        ({"turns": [TURN], "must_exist": "yes"}, "must_exist"),
        ({"turns": [TURN], "must_exist": 1}, "must_exist"),
        ({"turns": [TURN], "user_id": "somebody"}, "user_id"),
    ],
)
def test_a_wrong_field_of_the_body_is_named(
    directory_house: House, body: dict[str, Any], path: str
) -> None:
    error = fault(directory_house.send("POST", "c1", "/turns", json=body), 422)
    assert error["field"] == path
    assert directory_house.data.calls == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"not json",
        b"[]",
        b'[{"role":"user","text":"a"}]',
        b"null",
        b"7",
        b'"text"',
        b"\xff\xfe",
        b'{"turns":[{"role":"user","text":"\xff"}]}',
        b'{"turns":[{"role":"user","text":"a"}]}{}',
        b'{"turns":[{"role":"user","text":"a","content":NaN}]}',
        b'{"turns":[{"role":"user","text":"a","content":[-Infinity]}]}',
        b'{"turns":[{"role":"user","text":"a",}]}',
        b'{"turns":[{"role":"user","text":"a\nb"}]}',
    ],
)
def test_a_body_that_is_no_json_object_is_malformed(directory_house: House, body: bytes) -> None:
    assert fault(directory_house.post_raw(body), 400)["code"] == "malformed_request"
    assert directory_house.data.calls == []


def test_a_byte_order_mark_before_the_body_is_no_server_fault(directory_house: House) -> None:
    body = b'\xef\xbb\xbf{"turns":[{"role":"user","text":"a"}]}'
    assert directory_house.post_raw(body).status_code in {200, 400}


def _nested(depth: int, opening: str, closing: str) -> bytes:
    value = opening * depth + closing * depth
    return f'{{"turns":[{{"role":"user","text":"a","content":{value}}}]}}'.encode()


@pytest.mark.parametrize("depth", [65, 500, 990, 1_000, 5_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused_by_400_or_422(
    directory_house: House, depth: int, opening: str, closing: str
) -> None:
    body = _nested(depth, opening, closing).replace(b":}", b":1}")
    response = directory_house.post_raw(body)
    assert response.status_code in {400, 422}
    fault(response, response.status_code)


@pytest.mark.parametrize("number", ["9" * 5_000, "-" + "9" * 5_000, "1e999", "-1e999"])
def test_a_number_that_nobody_can_hold_is_refused_or_kept_but_never_a_server_fault(
    directory_house: House, number: str
) -> None:
    body = f'{{"turns":[{{"role":"user","text":"a","metadata":{{"n":{number}}}}}]}}'
    response = directory_house.post_raw(body.encode())
    assert response.status_code in {200, 400, 422}
    if response.status_code == 200:
        assert "n" in directory_house.turns()[0]["metadata"]


@pytest.mark.parametrize(
    "body",
    [
        b'{"turns":[{"role":"user","text":"a"}],"turns":[{"role":"user","text":"b"}]}',
        b'{"turns":[{"role":"user","role":"tool","text":"a","text":"b"}]}',
    ],
)
def test_of_a_field_that_comes_twice_the_last_counts(directory_house: House, body: bytes) -> None:
    """As in Go, and in nearly every JSON reader."""
    assert directory_house.post_raw(body).status_code == 200
    assert directory_house.texts() == ["b"]


def test_a_turn_above_a_mebibyte_is_too_large(house: House) -> None:
    error = fault(house.append("c1", "a", "x" * (MIB + 1)), 413)
    assert (error["code"], error["field"]) == ("too_large", "turns.1")
    assert house.listed() == []
    assert house.append("c1", "x" * (MIB - 200)).status_code == 200


def test_a_body_above_three_mebibytes_is_too_large(directory_house: House) -> None:
    whole = json.dumps({"turns": [{**TURN, "text": "x" * 1_000_000}] * 3}).encode()
    fitting = whole + b" " * (3 * MIB - len(whole))
    assert fault(directory_house.post_raw(fitting + b" "), 413)["code"] == "too_large"
    assert directory_house.data.calls == []
    assert directory_house.post_raw(fitting).status_code == 200


def test_the_size_of_a_body_is_counted_in_bytes(directory_house: House) -> None:
    text = "漢" * 340_000
    body = json.dumps({"turns": [{**TURN, "text": text}] * 4}, ensure_ascii=False).encode()
    assert fault(directory_house.post_raw(body), 413)["code"] == "too_large"


def test_a_body_that_is_declared_to_be_no_json_is_refused(directory_house: House) -> None:
    body = b'{"turns":[{"role":"user","text":"a"}]}'
    response = directory_house.post_raw(body, **{"content-type": "text/plain"})
    assert fault(response, 415)["code"] == "unsupported_media_type"
    fitting = {"content-type": "Application/JSON; charset=utf-8"}
    assert directory_house.post_raw(body, **fitting).status_code == 200
