"""Entries as turns and back."""

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from claude_agent_sdk import SessionStoreEntry
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import TooLargeError
from everturn.integrations.claude.entries import EntryTurn, Joiner, turns_of
from everturn.wire.conversations import Turn
from integrations.claude.claude_entries import entry, said

TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ENTRIES = st.dictionaries(TEXTS, VALUES, max_size=3).flatmap(
    lambda fields: st.sampled_from(["user", "text", "everturn-part", "x"]).map(
        lambda kind: entry(**{**fields, "type": kind})
    )
)


def noise(size: int) -> str:
    """A text that does not get much smaller: numbers."""
    return "".join(str(n * n) for n in range(size // 8))[:size]


def deep(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = [value]
    return value


def stored(turns: Iterable[EntryTurn]) -> list[Turn]:
    """Turns as a server gives them back."""
    return [
        Turn.model_validate_json(json.dumps({"index": index, "ts": None, **each.turn}))
        for index, each in enumerate(turns)
    ]


def joined(turns: Sequence[Turn]) -> list[SessionStoreEntry]:
    return list(Joiner.new().entries(turns))


@given(ENTRIES)
def test_an_entry_comes_back_as_it_was(one: SessionStoreEntry) -> None:
    turns = turns_of(one)
    assert joined(stored(turns)) == [one]
    assert all(each.size <= 1_000_000 for each in turns)
    assert [each.is_last for each in turns] == [*[False] * (len(turns) - 1), True]


@pytest.mark.parametrize(
    ("one", "parts"),
    [
        (said(1, "x" * 400_000), 1),
        (said(1, "x" * 5_000_000), 1),
        (said(1, "<" * 120_000), 1),
        (said(1, noise(6_000_000)), 5),
        (entry(text="\ud83d cut in half"), 1),
        (entry(value=deep(300)), 1),
        (entry(value=float("inf")), 1),
    ],
    ids=["plain", "long", "escaped", "longer", "surrogate", "deep", "infinite"],
)
def test_what_no_turn_holds_as_it_is_is_packed(one: SessionStoreEntry, parts: int) -> None:
    turns = turns_of(one)
    assert len(turns) == parts
    assert joined(stored(turns)) == [one]
    assert all(each.size < 1_048_576 for each in turns)


def test_a_packed_entry_says_what_was_said_in_its_first_turn() -> None:
    turns = turns_of(said(1, "Read this: " + noise(6_000_000)))
    assert turns[0].turn["text"].startswith("Read this: ")
    assert {each.turn["role"] for each in turns} == {"user"}
    assert not any(each.turn["text"] for each in turns[1:])


def test_parts_of_two_writers_may_stand_between_one_another() -> None:
    """The two entries are equal: both count."""
    parts = stored(turns_of(entry(body=noise(1_500_000))))
    assert len(parts) > 1
    mixed = [turn for pair in zip(parts, parts, strict=True) for turn in pair]
    assert joined(mixed) == [entry(body=noise(1_500_000))] * 2


def test_an_entry_that_is_not_whole_is_left_out_until_it_is() -> None:
    parts = stored(turns_of(entry(body=noise(1_500_000))))
    assert joined(parts[:-1]) == []
    assert len(joined([*parts[:-1], *parts])) == 1
    joiner = Joiner.new()
    assert list(joiner.entries(parts[:1])) == []
    assert len(list(joiner.entries(parts[1:]))) == 1
    assert (joiner._seen, joiner._bodies) == ({}, {})


def packed(body: bytes, **more: object) -> dict[str, object]:
    zipped = base64.b64encode(zlib.compress(body)).decode()
    return {"type": "everturn-part", "entry": "x", "part": 0, "parts": 1, "zlib": zipped, **more}


@pytest.mark.parametrize(
    "content",
    [
        None, "text", [], {}, {"n": 1}, {"type": 1}, {"type": ["user"]},
        {"type": "everturn-part"}, packed(b"{}", entry=[]), packed(b"{}", parts="1"),
        packed(b"{}", zlib="AAAA"), packed(b"{}", zlib="!!!!"), packed(b"{}", zlib=5),
        packed(b"{}", zlib="\xe9"), packed(b"{}", parts=0), packed(b"{}", parts=-1),
        packed(b"{}", part=7), packed(b"{}", parts=10**18), packed(b"{}"), packed(b"5"),
        packed(b"{"), packed(b"\xff"), packed(b"[" * 100_000),
    ],
)  # fmt: skip
def test_what_another_program_appended_is_left_out(content: object) -> None:
    assert joined([Turn(index=0, role="user", text="a", ts=None, content=content)]) == []


@pytest.mark.parametrize(
    ("stamp", "ts"),
    [
        ("2026-03-01T10:00:00.123Z", "2026-03-01T10:00:00.123000+00:00"),
        ("2026-03-01T10:00:00+02:00", "2026-03-01T08:00:00+00:00"),
        ("2026-03-01T10:00:00", None),
        ("2026-03-01", None),
        ("yesterday", None),
        ("1969-12-31T23:00:00-02:00", "1970-01-01T01:00:00+00:00"),
        ("1970-01-01T00:00:00+02:00", None),
        ("0001-01-01T00:00:00+02:00", None),
        ("2101-01-01T00:00:00Z", None),
        (1772359200, None),
        (None, None),
    ],
)
def test_a_time_is_told_only_where_the_server_takes_it(stamp: Any, ts: str | None) -> None:  # noqa: ANN401
    (only,) = turns_of(entry(timestamp=stamp))
    assert only.turn.get("ts") == ts


def test_a_part_that_unpacks_to_any_size_is_left_out() -> None:
    content = packed(b'{"type": "x"}' + b" " * 100_000_000)
    assert joined([Turn(index=0, role="user", text="a", ts=None, content=content)]) == []


def test_an_entry_that_could_not_be_read_is_not_written() -> None:
    with pytest.raises(TooLargeError):
        turns_of(entry(body="x" * 100_000_000))
