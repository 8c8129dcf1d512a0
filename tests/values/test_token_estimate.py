"""The token estimate."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cases.public_cases import casekit
from everturn.values.token_estimate import bytes_of_tokens, count_tokens, tokens_of_bytes
from strategies.json_values import loose_texts


@given(loose_texts)
def test_a_token_is_four_bytes_rounded_up(text: str) -> None:
    assert count_tokens(text) == (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


@given(loose_texts, loose_texts)
def test_two_texts_together_take_no_more_than_apart(one: str, other: str) -> None:
    assert count_tokens(one + other) <= count_tokens(one) + count_tokens(other)


@given(st.integers(0, 10_000))
def test_so_many_bytes_take_those_tokens_and_one_more_byte_takes_more(tokens: int) -> None:
    assert tokens_of_bytes(bytes_of_tokens(tokens)) == tokens
    assert tokens_of_bytes(bytes_of_tokens(tokens) + 1) == tokens + 1


def test_public_cases_of_the_estimate(public_cases: Path) -> None:
    kit = casekit(public_cases)
    cases = kit.load(op="tokens")
    assert cases
    for case in cases:
        counts = [count_tokens(text) for text in kit.expand(case["input"]["texts"])]
        assert kit.check_tokens(counts, case) == []


def test_no_text_takes_no_token() -> None:
    assert count_tokens("") == 0
