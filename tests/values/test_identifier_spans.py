"""What of a text stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.values.identifier_spans import identifier_spans
from strategies.json_values import loose_texts

_PIECES = (
    "Foo", "_", "/", "\\", "@", ".", ":", "-", "+", "~", "#", ",", "\u2026", "5", "(", ")", " ",
    "://", "pm", "\u4e2d", "\u0301", "\u00e9", "x", "deadbeef",
)  # fmt: skip
_WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"
run_texts = st.lists(st.sampled_from(_PIECES), max_size=12).map("".join)


def _found(text: str) -> list[str]:
    return [text[begin:end] for begin, end in identifier_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # addresses
        (f"Pay to {_WALLET}.", _WALLET),
        ("It was 0x5290\u20269EE7.", "0x5290\u20269EE7"),
        ("See (https://Example.com/wiki/Go_(game)).", "https://Example.com/wiki/Go_(game)"),
        ("At http://host/a?b=C&d=E#F, then", "http://host/a?b=C&d=E#F"),
        ("[docs](https://example.com/Docs)", "https://example.com/Docs"),
        ("Write to Dana.Ray@Example.com!", "Dana.Ray@Example.com"),
        ("Ask @DanaRay", "@DanaRay"),
        ("10.0.0.1 and [2001:DB8::1]:443", "10.0.0.1 2001:DB8::1 443"),
        ("It listens on ::1", "::1"),
        ("It listens on localhost:8080", "localhost:8080"),
        # hashes and ids
        ("commit DEADBEEF is bad", "DEADBEEF"),
        ("id 550e8400-E29B-41d4-a716-446655440000;", "550e8400-E29B-41d4-a716-446655440000"),
        ("The marker is MARK-77120431.", "MARK-77120431"),
        ("'user_Id' and __init__", "user_Id __init__"),
        ("arn:aws:s3:::Bucket", "arn:aws:s3:::Bucket"),
        ("call std::vector", "std::vector"),
        # paths and names of files
        ("in src/Utils/parse_v2.ts, not", "src/Utils/parse_v2.ts"),
        (r"Logs are in D:\new\temp\build", r"D:\new\temp\build"),
        ("~/Notes ./Run ../Up /etc/Hosts", "~/Notes ./Run ../Up /etc/Hosts"),
        ("README.md, .env and Main.c", "README.md .env Main.c"),
        ("src/ holds it", "src/"),
        ("re\u0301sume\u0301.txt", "re\u0301sume\u0301.txt"),
        ("\u8bf7\u770bREADME.md\u6587\u4ef6", "README.md"),
        ("\ud3ec\ud2b8\ub294 8080\uc740", "8080"),
        # numbers, versions, dates
        ("port 8080.", "8080"),
        ("v1.2.", "v1.2"),
        ("5,000 EUR, 1,2,3 a,b_c", "5,000 1,2,3 b_c"),
        ("-5 degrees, +49 170, ~20 left", "-5 +49 170 20"),
        ("2026-10-15T09:30:00Z or 10/15/2026", "2026-10-15T09:30:00Z 10/15/2026"),
        ("at 5PM on the 15th, in the 1990s", "5 15 1990"),
        ("10\u00b2 m", "10\u00b2"),
        ("issue #42", "42"),
    ],
)  # fmt: skip
def test_what_names_one_thing_is_found_whole(text: str, found: str) -> None:
    assert _found(text) == found.split()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The user prefers short answers.",
        "JavaScript on an iPhone, in camelCase",
        "e.g. the U.S. at noon, i.e. a.m.",
        "well...then, C++ and C# - or F#?",
        "a / b @ c :: d ____ -- ://",
        "Дана живёт в Париже.",
        "defaced facade",
        "_/ and /_ and __/__",
    ],
)  # fmt: skip
def test_words_are_no_identifiers(text: str) -> None:
    assert _found(text) == []


@given(loose_texts | run_texts)
def test_spans_are_in_order_within_words_and_hold_something(text: str) -> None:
    last = 0
    for begin, end in identifier_spans(text):
        assert last <= begin < end <= len(text)
        assert not any(map(str.isspace, text[begin:end]))
        assert any(map(str.isalnum, text[begin:end]))
        last = end


@given(run_texts)
def test_other_case_has_its_identifiers_at_the_same_places(text: str) -> None:
    assert identifier_spans(text.swapcase()) == identifier_spans(text)


@given(run_texts, st.sampled_from(["", " ", "(", '"']), st.sampled_from(["", " ", ")", '"', "."]))
def test_what_stands_around_an_identifier_changes_nothing(
    text: str, before: str, after: str
) -> None:
    """A sentence begins before it, or a bracket, and ends after it."""
    plain = text.replace("(", "").replace(")", "").strip(" .")

    assert _found(before + plain + after) == _found(plain)


@pytest.mark.parametrize("piece", ["a", ".", "-.", "a.", "1,", "://", "a/", "://)", "_", "::"])
def test_a_long_run_is_read_in_time_that_grows_as_it_does(piece: str) -> None:
    """Quadratic time would take minutes here."""
    assert len(identifier_spans(piece * 200_000)) <= 1
