"""Keys as a listing gives them: whose they are, without the ids that they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.values.keys import (
    SWEEP_KEY,
    Scope,
    Token,
    conversation_of,
    erasure_key,
    head_key,
    is_token,
    key_token,
    scope_prefix,
    segment_key,
    staged_key,
    watermark_key,
)

IDS = st.one_of(st.from_regex(r"[A-Za-z0-9._-]{1,9}", fullmatch=True), st.text(min_size=1))
NAME = f"{0:012d}-{1:012d}-{'w' * 16}"


@given(IDS, IDS, IDS)
def test_a_listed_key_leads_back_to_all_keys_of_its_conversation(
    tenant: str, actor: str, conversation: str
) -> None:
    scope = Scope(tenant, actor)
    head, segment = head_key(scope, conversation), segment_key(scope, conversation, NAME)
    staged = staged_key(scope, conversation, 7)
    for key in (head, segment, staged, watermark_key(scope, conversation)):
        found = conversation_of(key)
        assert found is not None
        assert head_key(*found) == head
        assert segment_key(*found, NAME) == segment
        assert scope_prefix("c", found[0]) == scope_prefix("c", scope)


@pytest.mark.parametrize(
    "key",
    [
        "", "c", "c/t/a", "c/t/a/x", "c/t/a/x.txt", "c/t/a/d/x.json", "c/t//x.json",
        "c/t/ä/x.json", "c/~x/a/x.json", "s/t/a/x.json", "s/t/a/x/y/z", "o/t/a/x.json", "i/.sweep",
        "w/t/a/x", "w/t/a/x/y.json", "x/t/a/y.json", "x/t/a/x/y/z", "q/t/a/c/000000000000.json",
    ],
)  # fmt: skip
def test_any_other_key_is_nobodys(key: str) -> None:
    assert conversation_of(key) is None


@given(IDS)
def test_a_user_whose_id_looks_like_a_token_is_not_whom_the_token_stands_for(id_: str) -> None:
    """Only what was listed is taken for a token; what somebody is called never is."""
    token = key_token(id_)
    if token.startswith("~"):
        assert key_token(token) != token
    assert key_token(Token(token)) == token


@given(IDS)
def test_what_a_sweep_keeps_is_in_no_scope(tenant: str) -> None:
    assert not is_token(SWEEP_KEY.split("/")[1])
    assert not SWEEP_KEY.startswith(scope_prefix("i", Scope(tenant, "a")))
    assert erasure_key(Scope(tenant, "a")).startswith(scope_prefix("i", Scope(tenant, "a")))
