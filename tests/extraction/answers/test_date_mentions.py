"""Which dates a text says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.extraction.answers.date_mentions import DateParts, meant_dates, written_dates

_PIECES = (
    "2024-05-24", "May", "24", "th", "2024", "yesterday", "ago", "two", "days", "last", "Monday",
    "0001-01-01", "9999", "in", "999", "years", " ", ", ", "\u0661", "month", "/",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("on 2024-05-24.", (2024, 5, 24)), ("at 2024-05-24T10:00:00Z", (2024, 5, 24)),
        ("2024/5/4", (2024, 5, 4)), ("May 24, 2024", (2024, 5, 24)), ("may 24th", (None, 5, 24)),
        ("24 May 2024", (2024, 5, 24)), ("the 1st of Sept.", (None, 9, 1)),
        ("Sept 1st 2024", (2024, 9, 1)), ("December 2023", (2023, 12, None)),
        ("29 February", (None, 2, 29)),
    ],
)  # fmt: skip
def test_dates_are_read_as_people_write_them(text: str, parts: DateParts) -> None:
    assert [(one.year, one.month, one.day) for one in written_dates(text)] == [parts]


@pytest.mark.parametrize(
    "text",
    [
        "5/6/2024",
        "2024-13-01",
        "30 February 2024",
        "may do 5 things",
        "May",
        "1-2024-05-24-x",
        "v1",
    ],
)
def test_what_may_be_no_date_or_another_one_is_none(text: str) -> None:
    assert written_dates(text) == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("yesterday", (2024, 5, 23)), ("last night", (2024, 5, 23)), ("today", (2024, 5, 24)),
        ("tomorrow", (2024, 5, 25)), ("the day before yesterday", (2024, 5, 22)),
        ("day after tomorrow", (2024, 5, 26)), ("this morning", (2024, 5, 24)),
        ("three days ago", (2024, 5, 21)), ("2 weeks ago", (2024, 5, 10)),
        ("in a week", (2024, 5, 31)), ("last month", (2024, 4, None)),
        ("in 8 months", (2025, 1, None)), ("last year", (2023, None, None)),
        ("5 years ago", (2019, None, None)), ("next year", (2025, None, None)),
        ("on Monday", (2024, 5, 20)), ("next Monday", (2024, 5, 27)), ("May 3rd", (2024, 5, 3)),
    ],
)  # fmt: skip
def test_words_mean_dates_beside_the_date_before_them(said: str, meant: DateParts) -> None:
    """2024-05-24 was a Friday."""
    text = f"[2020-01-01] hi [2024-05-24T10:00:00Z] user: {said}"

    assert meant in meant_dates(text)
    assert meant not in meant_dates("[2020-01-01T10:00:00Z] user: hi")
    assert meant not in meant_dates(f"user: {said}")


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_any_text_says_some_dates_or_none(text: str) -> None:
    for year, month, day in meant_dates(text):
        assert month is None or 1 <= month <= 12
        assert day is None or 1 <= day <= 31
        assert year is None or year < 11_000


def test_a_long_text_is_read_in_time_that_grows_as_it_does() -> None:
    """Quadratic time would take minutes here."""
    assert meant_dates("2024-05-24 yesterday " * 20_000) == {(2024, 5, 24), (2024, 5, 23)}
