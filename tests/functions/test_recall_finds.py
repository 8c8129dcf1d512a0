"""What a query finds by its words alone: identifiers, scripts, exact repeats, huge queries."""

import pytest

from cpu_time import cpu_limit
from functions.house import House, Json

FILLER = [
    f"filler about order number {n} and port {8000 + n}, main_{n}.py of version 1.{n}.0"
    for n in range(40)
]

IDENTIFIERS = [
    ("The run marker is MARK-77120431.", "MARK-77120431"),
    ("The run marker is MARK-77120431.", "mark-77120431"),
    ("the order is #48213-A", "#48213-A"),
    ("the order is #48213-A", "48213-A"),
    ("the order is 48213, sent today", "#48213"),
    ("see PR #77 first", "#77"),
    (
        "see 0x52908400098527886E0F7030069857D2E4169EE7",
        "0x52908400098527886e0f7030069857d2e4169ee7",
    ),
    (
        "it says (0x52908400098527886E0F7030069857D2E4169EE7).",
        "0x52908400098527886E0F7030069857D2E4169EE7?",
    ),
    ("uuid 123e4567-e89b-12d3-a456-426614174000 is it", "123E4567-E89B-12D3-A456-426614174000"),
    (
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it",
        "9fceb02d0ae598e95dc970b74767f19372d61af8",
    ),
    ("the log is C:\\Users\\Ann\\logs\\build-7.txt", "c:\\users\\ann\\logs\\BUILD-7.TXT"),
    ("the log is C:\\Users\\Ann\\logs\\build-7.txt", "C:/Users/Ann/logs/build-7.txt"),
    ("the log is C:\\Users\\Ann\\logs\\build-7.txt", "build-7.txt"),
    ("the parser is in src/Utils/parse_v2.ts", "src/Utils/parse_v2.ts"),
    ("the parser is in src/Utils/parse_v2.ts", "where is parse_v2.ts?"),
    ("write to ann.bee+tag@example.co.uk", "ann.bee+tag@example.co.uk"),
    ("go to https://example.com/a/b?x=1&y=2#frag now", "https://example.com/a/b?x=1&y=2#frag"),
    ("go to https://example.com/a/b?x=1&y=2#frag now", "example.com/a/b"),
    ("we run v2.14.3-rc.1 since May", "v2.14.3-rc.1"),
    ("call foo_bar() twice", "foo_bar()"),
    ("call fooBarBaz here", "foobarbaz"),
    ("use std::vector<int> here", "std::vector"),
    ("the pointer is a->next->prev", "a->next->prev"),
    ("the flag is --dry-run", "--dry-run"),
    ("set AWS_REGION=eu-central-1", "eu-central-1"),
    ("role arn:aws:iam::000000000000:role/deploy", "arn:aws:iam::000000000000:role/deploy"),
    ("server 10.0.0.17:5432 is down", "10.0.0.17"),
    ("it has fe80::1ff:fe23:4567:890a", "fe80::1ff:fe23:4567:890a"),
    ("call +43 660 1234567", "+43 660 1234567"),
    ("meet on 2026-03-14", "2026-03-14"),
    ("it costs 1,234.56 EUR", "1,234.56"),
    ("ask @dana about it", "@dana"),
    ("ticket GH-9 is open", "gh-9"),
]

SCRIPTS = [
    ("\u6211\u559c\u6b22\u90c1\u91d1\u9999\u548c\u5496\u5561", "\u90c1\u91d1\u9999"),
    ("\u6771\u4eac\u30bf\u30ef\u30fc\u3078\u884c\u3063\u305f", "\u6771\u4eac\u30bf\u30ef\u30fc"),
    ("\ud55c\uad6d\uc5b4\ub97c \uacf5\ubd80\ud55c\ub2e4", "\ud55c\uad6d\uc5b4"),
    ("\u0e09\u0e31\u0e19\u0e0a\u0e2d\u0e1a\u0e01\u0e32\u0e41\u0e1f", "\u0e01\u0e32\u0e41\u0e1f"),
    (
        "\u043f\u0440\u0438\u0432\u0435\u0442, \u041c\u043e\u0441\u043a\u0432\u0430",
        "\u043c\u043e\u0441\u043a\u0432\u0430",
    ),
    (
        "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
        "\u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    ),
    (
        "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
        "\u0926\u0941\u0928\u093f\u092f\u093e",
    ),
    (
        "\u03b3\u03b5\u03b9\u03ac \u03c3\u03bf\u03c5 \u039a\u03cc\u03c3\u03bc\u03b5",
        "\u03ba\u03cc\u03c3\u03bc\u03b5",
    ),
    ("Im Caf\u00e9 in der gro\u00dfen Stra\u00dfe", "cafe strasse"),
    ("Im Cafe\u0301 um acht", "CAF\u00c9"),
    ("\uff26\uff35\uff2c\uff2c\uff37\uff29\uff24\uff34\uff28 \uff11\uff12\uff13", "fullwidth 123"),
]

REPEATS = [
    "ok", "k", "the", "to be or not to be", "what is it", "?!", "...", "-----", "7",
    "\U0001f44d", "\U0001f389\U0001f389", "\u597d", "\ufffd", "a\0b", "  spaced \n out  ",
    "word " * 1_638, "no-space-" * 910, "\u559c" * 8_192, "<b>bold</b>", "NaN", "null", "{}",
    "'; DROP TABLE turns; --",
]  # fmt: skip


def _store(house: House, *texts: str) -> None:
    """Twenty other turns, these, and twenty more."""
    assert house.append("c1", *FILLER[:20], *texts, *FILLER[20:]).is_success


def _first(answer: Json) -> Json:
    first: Json = answer["hits"][0]
    return first


@pytest.mark.parametrize(("text", "query"), IDENTIFIERS)
def test_an_identifier_finds_its_turn(directory_house: House, text: str, query: str) -> None:
    _store(directory_house, text)
    assert _first(directory_house.recall(query))["text"] == text


@pytest.mark.parametrize(("text", "query"), SCRIPTS)
def test_words_of_any_script_find_their_turn(directory_house: House, text: str, query: str) -> None:
    _store(directory_house, text)
    assert _first(directory_house.recall(query))["text"] == text


@pytest.mark.parametrize("text", REPEATS, ids=lambda text: repr(text[:12]))
def test_an_exact_repeat_of_an_old_turn_is_first_with_a_full_score(
    directory_house: House, text: str
) -> None:
    """Whatever it is made of: stop words, punctuation, one sign, as long as a query counts."""
    _store(directory_house, f"{text} and more, {text[:20]}", text, f"before {text[:99]}")
    first = _first(directory_house.recall(text, budget_tokens=500_000))
    assert first["text"] == text
    assert first["score"] == 1.0


def test_of_identifiers_that_differ_in_one_sign_the_right_one_is_first(
    directory_house: House,
) -> None:
    twins = [f"order ZX-{number} was sent" for number in (4417, 4471, 4147, 44170, 417)]
    _store(directory_house, *twins)
    for twin in twins:
        assert _first(directory_house.recall(twin.split()[1]))["text"] == twin


@pytest.mark.parametrize(
    "query",
    [
        "word " * 200_000, "a" * 1_000_000, "1" * 1_000_000, "/" * 1_000_000, "a." * 500_000,
        "a1-" * 333_000, "<recalled_memory " * 60_000, "\u559c" * 330_000, "e" + "\u0301" * 400_000,
        " ".join(f"w{n}" for n in range(140_000)),
    ],
    ids=[
        "words", "one word", "digits", "slashes", "dots", "dashes", "openings", "han", "accents",
        "all different",
    ],
)  # fmt: skip
def test_a_query_of_a_megabyte_is_answered_in_time(directory_house: House, query: str) -> None:
    _store(directory_house)
    with cpu_limit(1):
        directory_house.recall(query)


@pytest.mark.parametrize("query", ["???", "-- ... --", "\U0001f9a4", "the of and", "zzzxqv"])
def test_a_query_of_which_nothing_is_there_finds_nothing_and_is_no_error(
    directory_house: House, query: str
) -> None:
    _store(directory_house)
    assert directory_house.recall(query) == {"hits": [], "filtered": 0, "degraded": False}
