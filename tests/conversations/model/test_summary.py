"""What a list shows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases.public_cases import casekit
from everturn.conversations.model.head import Record, parse_record
from everturn.conversations.model.summary import (
    Summary,
    make_preview,
    make_title,
    shown_title,
    summarize,
)
from everturn.conversations.model.turn import text_of_content
from everturn.values.go_json import JsonValue
from everturn.values.visible_text import is_blank, one_line
from strategies.json_values import loose_texts

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


def record_of(*turns: tuple[str, str], **fields: JsonValue) -> Record:
    """Return the record of roles and texts."""
    values = [{"role": role, "text": text} for role, text in turns]
    body = {"conversation_id": "c1", "turns": values, "updated": "2026-03-01T10:00:00.5Z", **fields}
    return parse_record(json.dumps(body).encode(), name="c1")


def title_of(*turns: tuple[str, str], title: str = "") -> str:
    return summarize(record_of(*turns, title=title)).title


@pytest.mark.parametrize(
    ("turns", "title"),
    [
        ([("user", "How do I bake?"), ("user", "second")], "How do I bake?"),
        ([("system", "be kind"), ("assistant", "hello"), ("user", "the question")], "the question"),
        ([("user", " \u200b\n"), ("user", "visible")], "visible"),
        ([("user", "  two\n\tlines  "), ("assistant", "a")], "two lines"),
        ([("user", "x" * 60)], "x" * 60),
        ([("user", "x" * 61)], "x" * 60 + "…"),
        ([("user", "x" * 59 + FAMILY)], "x" * 59 + "…"),
        ([("user", "\x00\u202eevil\u202c")], "evil"),
        ([("assistant", "hello")], "New chat"),
        ([("User", "not the role"), ("Ann", "a speaker")], "New chat"),
        ([("user", "\u200b")], "New chat"),
        ([], "New chat"),
    ],
)
def test_the_title_is_the_first_visible_user_turn(turns: list[tuple[str, str]], title: str) -> None:
    assert title_of(*turns) == title


@pytest.mark.parametrize(
    ("given_title", "title"),
    [
        ("My bread", "My bread"),
        ("  my\n bread ", "my bread"),
        ("t" * 61, "t" * 60 + "…"),
        ("t" * 58 + FAMILY + "t", "t" * 58 + "…"),
        ("\u2066safe\u2069", "safe"),
        (" \u200b", "the question"),
    ],
)
def test_a_visible_title_that_was_given_wins(given_title: str, title: str) -> None:
    assert title_of(("user", "the question"), title=given_title) == title


@given(loose_texts)
def test_a_title_that_was_given_is_cut_like_any_and_kept_whole_in_the_record(text: str) -> None:
    record = record_of(("user", "question"), title=text)
    if is_blank(text):
        assert shown_title(record) == "question"
    else:
        assert shown_title(record) == record.head.title
        assert summarize(record).title == make_title(record.head.title)


@pytest.mark.parametrize(
    ("turns", "preview"),
    [
        ([("user", "first"), ("assistant", "the newest")], "the newest"),
        ([("user", "first"), ("tool", "result\nlines")], "result lines"),
        ([("user", "first"), ("assistant", " \u200b")], "first"),
        ([("user", "x" * 100)], "x" * 100),
        ([("user", "x" * 101)], "x" * 100 + "…"),
        ([("user", "x" * 99 + FAMILY)], "x" * 99 + "…"),
        ([("user", "\u200b")], ""),
        ([], ""),
    ],
)
def test_the_preview_is_the_newest_visible_turn(turns: list[tuple[str, str]], preview: str) -> None:
    assert summarize(record_of(*turns)).preview == preview


def test_a_turn_without_role_or_text_is_neither_title_nor_preview() -> None:
    body = {"conversation_id": "c1", "turns": [{"text": "no role"}, {"role": "user"}, 5]}
    row = summarize(parse_record(json.dumps(body).encode(), name="c1"))
    assert (row.title, row.preview, row.turn_count) == ("New chat", "", 3)


@given(loose_texts.map(lambda text: text * 20))
def test_title_and_preview_are_one_line_within_their_limits(text: str) -> None:
    for shown, limit in ((make_title(text), 60), (make_preview(text), 100)):
        shown.encode()
        kept = shown.removesuffix("…") if len(one_line(text)) > limit else shown
        assert len(kept) <= limit
        assert one_line(text).startswith(kept)


def test_a_row_holds_count_time_folder_and_archive() -> None:
    record = record_of(("user", "a"), ("assistant", "b"), folder="work", archived=True)
    assert summarize(record) == Summary(
        "c1", "a", "b", 2, 1_772_359_200_500_000_000, "work", archived=True
    )


@pytest.mark.parametrize(("op", "make"), [("title", make_title), ("preview", make_preview)])
def test_public_cases_of_titles_and_previews(
    public_cases: Path, op: str, make: Callable[[str], str]
) -> None:
    """The cases have no `…`; ours marks a cut, so one at the end is taken off first."""
    kit = casekit(public_cases)
    cases = kit.expand(kit.load(op=op))
    assert cases
    for case in cases:
        shown = make(text_of_content(case["input"]["content"]))
        assert kit.check_text(shown.removesuffix("…"), case) == [], case["id"]


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), loose_texts), max_size=4))
def test_every_record_has_a_row_that_can_be_shown(turns: list[tuple[str, str]]) -> None:
    row = summarize(record_of(*turns))
    assert not is_blank(row.title)
    assert row.turn_count == len(turns)
    json.dumps([row.title, row.preview], ensure_ascii=False).encode()
