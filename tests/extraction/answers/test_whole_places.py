"""Where an identifier stands as a whole."""

import pytest

from everturn.extraction.answers.transcript_text import whole_places


def _has(said: str, text: str) -> bool:
    return any(whole_places(text, said, within=text))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("8081", "port 8081."), ("8081", "x localhost:8081, "), ("8081", "x 127.0.0.1:8081/a"),
        ("127.0.0.1", "x 127.0.0.1:8081"), ("77120431", "x MARK-77120431"), ("24", "a 24-inch"),
        ("src/a", "x src/a/b.py"), ("b.py", "x src/a/b.py"), ("example.com", "x d@example.com"),
        ("8081", "x \u7aef\u53e38081\u5df2"), ("https://x.y/a", "(https://x.y/a)"),
        ("https://x.y/a", "https://x.y/a."), ("-5", "x -5 C"), ("5", "1. take 5..."),
        ("0x52", "x `0x52`"), ("v1.2", "x=v1.2;"), ("/srv/a", "x '/srv/a'"),
    ],
)  # fmt: skip
def test_an_identifier_is_found_beside_marks(said: str, text: str) -> None:
    assert _has(said, f" {text}")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("808", "port 8081"), ("081", "port 8081"), ("0x52", "0x529084"), ("5", "5.6"),
        ("6", "5.6"),
        ("5", "5,000"), ("000", "5,000"), ("5", "-5"), ("5", "x -5"), ("555-12", "555-1234"),
        ("555", "555-1234"), ("10", "10:30"), ("30", "10:30"), ("24", "5/24"), ("v1", "v1.2"),
        ("https://x.y", "https://x.y/a"), ("https://x.y/a", "https://x.y/a?b=c"),
        ("https://x.y/a", "https://x.y/a#b"), ("https://x.y/a", "https://x.y/a/b"),
        ("550e8400", "550e8400-e29b-41d4"), ("e29b", "550e8400-e29b-41d4"), ("/srv/a", "x/srv/a"),
        ("/srv/a", "~/srv/a"), ("\\a\\b", "\\\\a\\b"), ("0x52", "0x52\u20269EE7"),
        ("9EE7", "0x52\u20269EE7"), ("0x52", "0x52...9EE7"), ("user_1", "user_1@x.y"),
        ("parse_v2", "parse_v2.ts"), ("\u00e95", "caf\u00e95"), ("a_b", "xa_b"),
    ],
)  # fmt: skip
def test_a_part_of_an_identifier_is_another_one(said: str, text: str) -> None:
    assert not _has(said, text)


def test_a_whole_one_is_found_behind_its_parts() -> None:
    text = "8081 80812 x8081 8081"

    assert [*whole_places(text, "8081", within=text)] == [0, 17]
