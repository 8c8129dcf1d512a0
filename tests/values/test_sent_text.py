"""A text as it is sent to a model."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.values.visible_text import sent_text

any_text = st.text(st.characters(exclude_categories=[]))


@given(any_text, st.integers(1, 40))
def test_it_can_always_be_sent(text: str, max_bytes: int) -> None:
    """Well-formed, without NUL, short enough, and the beginning of what was given."""
    sent = sent_text(text, max_bytes=max_bytes)
    assert len(sent.encode()) <= max_bytes
    assert "\0" not in sent
    assert not sent or sent.strip()
    for mine, given_one in zip(sent, text, strict=False):
        assert mine in {given_one, "\ufffd", " "}


def test_it_ends_between_two_characters() -> None:
    assert sent_text("\u00e9\u00e9\u00e9", max_bytes=5) == "\u00e9\u00e9"
    assert sent_text("a\U0001f600", max_bytes=4) == "a"


def test_half_a_pair_and_nul_are_replaced() -> None:
    assert sent_text("a\ud83d\0b", max_bytes=99) == "a\ufffd b"


def test_nothing_is_sent_of_a_text_that_shows_nothing() -> None:
    assert [sent_text(text, max_bytes=9) for text in ("", " \n", "\0", "\u200b")] == [""] * 4
