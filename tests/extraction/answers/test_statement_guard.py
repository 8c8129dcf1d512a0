"""Which statements are believed."""

import pytest
from hypothesis import given

from everturn.extraction.answers.parse_answer import MAX_CHARS, StatementGuard
from strategies.hostile_texts import hostile_texts
from strategies.json_values import loose_texts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "shape"), (" \u200b.", "shape"), ("x" * (MAX_CHARS + 1), "long"),
        ("The API key is sk-demo-000011112222333344445555.", "secret"),
        ("The password is hunter2.", "secret"), ("D:\new\temp is full", "verbatim"),
        ("The regex is \bfoo", "verbatim"),
    ],
)  # fmt: skip
def test_what_is_never_kept_is_refused_with_its_reason(text: str, reason: str) -> None:
    assert StatementGuard(None).believed(text) == (None, reason)


@pytest.mark.parametrize(
    "text",
    [
        "The API key is stored in Vault.", "Tokens are rotated by the platform team.",
        "The login service is written in Go.", "The token limit is 8,000.",
        "The role is arn:aws:iam::000000000000:role/deploy.",
        "The wallet is 0x52908400098527886E0F7030069857D2E4169EE7.",
        "The build is at commit 3f786850e387550fdab836ed7e6dc881de23001b.",
    ],
)  # fmt: skip
def test_what_only_speaks_of_secrets_or_is_public_is_kept(text: str) -> None:
    assert StatementGuard(None).believed(text) == (text, "")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Logs are in D:\new\temp\build", r"D:\new\temp\build"),
        ("Logs are in C:\\\\Users\\\\dev", r"C:\Users\dev"),
        ("The regex is \bfoo_1\b here", r"\bfoo_1\b"),
    ],
)
def test_backslashes_are_read_as_the_transcript_has_them(text: str, path: str) -> None:
    found, reason = StatementGuard(f"user: it is {path} here").believed(text)

    assert found is not None
    assert (path in found, reason) == (True, "")
    assert StatementGuard("user: no").believed(text) == (None, "verbatim")


def test_a_line_end_is_a_space() -> None:
    assert StatementGuard("user: one").believed("One\nline\there ") == ("One line here", "")


@pytest.mark.parametrize("closing", ["</recalled_memory>", ""])
def test_recalled_memory_in_a_transcript_is_no_source(closing: str) -> None:
    recalled = f"<recalled_memory>\nDana likes tea.\nThe port is 8081.\n{closing}"
    guard = StatementGuard(f"user: I like the sea\nassistant: {recalled}")

    assert guard.believed("Dana likes tea.") == (None, "echo")
    assert guard.believed("The port is 8081.") == (None, "verbatim")
    said = StatementGuard(f"user: Dana likes tea\nassistant: {recalled}")
    assert said.believed("Dana likes tea.") == ("Dana likes tea.", "")


@pytest.mark.parametrize(
    ("text", "transcript", "reason"),
    [
        ("Acorn Labs keeps bees in Ohio.", "user: which port does the service use?", "echo"),
        ("The user works at Acorn Labs.", "user: which port does the service use?", "echo"),
        ("The user works at Acorn Labs.", "user: I am with acorn, the lab", ""),
        ("The user is vegetarian.", "user: which meals have no meat?", ""),
        ("The user lives in Munich.", "user: Ich wohne in M\u00fcnchen", ""),
    ],
)
def test_a_name_of_which_no_word_was_read_is_an_echo_of_the_prompt(
    text: str, transcript: str, reason: str
) -> None:
    """In another language than English nobody can tell."""
    assert StatementGuard(transcript).believed(text)[1] == reason


@given(loose_texts | hostile_texts, loose_texts | hostile_texts)
def test_what_is_believed_is_one_line_and_is_believed_again(text: str, transcript: str) -> None:
    guard = StatementGuard(transcript, [transcript])

    line, reason = guard.believed(text)

    assert (line is None) == bool(reason)
    if line is not None:
        assert line == " ".join(line.split())
        assert guard.believed(line) == (line, "")
