"""What an append keeps: texts, contents, metadata and times come back as they were sent."""

import json
from typing import Any

import pytest

from functions.house import House

NOW = "2026-01-01T00:00:00Z"
CONTENTS: list[Any] = [
    "plain",
    [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "x"}}],
    [{"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "a<b>&c", "n": 1.5}}],
    [{"toolResult": {"toolUseId": "t1", "content": [{"json": {"deep": [None, True, {}]}}]}}],
    {"parts": [{"text": "hi"}], "empty": [], "zero": 0, "big": 12345678901234567890},
    {"float": 0.1, "small": 1e-300, "minus": -0.5, "line": "\u2028", "nul": "\u0000"},
    7,
    False,
]


@pytest.mark.parametrize("content", CONTENTS, ids=range(len(CONTENTS)))
def test_a_content_comes_back_deep_equal(house: House, content: object) -> None:
    turn = {
        "role": "assistant", "text": "said", "intent_id": "i-1", "ts": NOW, "name": "Ada",
        "content": content, "metadata": {"k": [content], "z": {"": None}},
    }  # fmt: skip
    assert house.append_turns("c1", [turn]).status_code == 200
    assert house.turns() == [{"index": 0, **turn}]
    assert house.stored_json()["turns"] == [turn]


def test_without_text_the_text_is_that_of_the_content(house: House) -> None:
    parts = [
        {"type": "text", "text": "one"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "two"},
    ]
    house.append_turns("c1", [{"role": "user", "content": parts}, {"role": "a", "content": "s"}])
    assert house.texts() == ["one\ntwo", "s"]


def test_a_content_without_text_is_no_blank_turn(house: House) -> None:
    call = [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]
    answer = house.append_turns("c1", [{"role": "assistant", "content": call}]).json()
    assert (answer["appended"], answer["ignored"]) == (1, 0)
    assert house.turns()[0]["content"] == call


TEXTS = [
    "a & b < c > d",
    "\u2028 a \u2029 \u0085",
    '],"updated":"2026-01-01T00:00:00Z"}',
    '"\\',
    "a\u0000\u0001\b\f\n\r\t\x1f\x7f",
    "👨\u200d👩\u200d👧 🇯🇵 \U0010ffff",
    "e\u0301 é",
    "  kept blanks  ",
    "\ufeff\ufffd\ufffe",
    "safe \u202egnp.exe",
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_comes_back_character_by_character(house: House, text: str) -> None:
    house.append("c1", text, "next")
    assert house.texts() == [text, "next"]


@pytest.mark.parametrize(
    ("escaped", "kept"),
    [
        ("half \\ud83d emoji", "half \ufffd emoji"),
        ("\\udc00\\ud800", "\ufffd\ufffd"),
        ("ok \\ud83d\\ude00 \\u00e9", "ok 😀 é"),
    ],
)
def test_a_lone_surrogate_is_stored_as_the_replacement_character(
    house: House, escaped: str, kept: str
) -> None:
    """Everywhere that a caller may put one; the file is valid UTF-8."""
    fields = f'"text":"{escaped}","name":"{escaped}","content":["{escaped}"]'
    body = f'{{"turns":[{{"role":"user",{fields},"metadata":{{"k{escaped}":"{escaped}"}}}}]}}'
    assert house.post_raw(body.encode()).status_code == 200
    turn = house.stored_json()["turns"][0]
    assert (turn["text"], turn["name"], turn["content"]) == (kept, kept, [kept])
    assert turn["metadata"] == {f"k{kept}": kept}
    assert house.turns()[0]["text"] == kept


def test_a_lone_surrogate_in_a_role_is_no_server_fault(house: House) -> None:
    response = house.post_raw(b'{"turns":[{"role":"\\ud83d","text":"a"}]}')
    assert response.status_code in {200, 422}
    if response.status_code == 200:
        assert house.turns()[0]["role"] == "\ufffd"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2025-06-01T10:00:00", "2025-06-01T10:00:00Z"),
        ("2025-06-01T10:00:00Z", "2025-06-01T10:00:00Z"),
        ("2025-06-01t10:00:00z", "2025-06-01T10:00:00Z"),
        ("2025-06-01T12:00:00+02:00", "2025-06-01T10:00:00Z"),
        ("2025-06-01T04:30:00.500-05:30", "2025-06-01T10:00:00.5Z"),
        ("2025-06-01T10:00:00.1234567891Z", "2025-06-01T10:00:00.123456789Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        (None, NOW),
    ],
)
def test_a_time_is_kept_as_an_instant_in_utc(house: House, sent: str | None, kept: str) -> None:
    turn = {"role": "user", "text": "a", "ts": sent}
    assert house.append_turns("c1", [turn]).status_code == 200
    assert house.turns()[0]["ts"] == kept


def test_order_is_commit_order_whatever_the_times_say(house: House) -> None:
    times = ["2025-01-01T00:00:00Z", "2020-01-01T00:00:00Z", "2024-01-01T00:00:00Z"]
    turns = [{"role": "user", "text": time, "ts": time} for time in times]
    house.append_turns("c1", turns)
    assert house.texts() == times


@pytest.mark.parametrize("role", ["user", "User", "developer", " padded", "Ada Lovelace", "r" * 64])
def test_a_role_is_kept_as_it_was_given(house: House, role: str) -> None:
    house.append_turns("c1", [{"role": role, "text": "a"}])
    assert house.turns()[0]["role"] == role


def test_the_file_is_what_go_would_print(house: House) -> None:
    house.append_turns("c1", [{"role": "user", "text": "a<b>&\u2028", "ts": NOW}])
    text = "a\\u003cb\\u003e\\u0026\\u2028"
    assert (
        house.stored()
        == (
            f'{{"conversation_id":"c1","turns":[{{"role":"user","text":"{text}","ts":"{NOW}"}}],'
            f'"updated":"{NOW}"}}'
        ).encode()
    )
    assert json.loads(house.stored())["turns"][0]["text"] == "a<b>&\u2028"
