"""Ids and keys."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everturn.errors import InvalidRequestError
from everturn.values.keys import (
    DIRTY_PREFIX,
    Scope,
    dirty_key,
    head_key,
    heads_prefix,
    is_head_of,
    is_token,
    key_token,
    list_cache_key,
    quarantine_key,
    quarantine_prefix,
    scope_prefix,
    staged_key,
    staged_prefix,
    token_use_key,
    valid_id,
    watermark_key,
)
from strategies.json_values import loose_texts

TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}|~[A-Z2-7]{32}", re.ASCII)
PLAIN_IDS = ("c1", "c1.json", "0", "A", "a.b_c-d", "a..b", "x" * 128)
ODD_IDS = (
    "..", ".", ".hidden", "-a", "_a", "~a", "a/b", "../../etc/passwd", "/", "%2F", "..%2F..", "a b",
    "a\n", "x" * 129, "é", "漢字", "\u217d1", "a\u202eb", "a\\b", "a?b", "a#b", "~" + "A" * 32, "",
)  # fmt: skip

any_ids = st.sampled_from(PLAIN_IDS + ODD_IDS) | st.text(max_size=140) | loose_texts


@pytest.mark.parametrize(
    "blank", ["", " ", "\u200b", "\u2003\u200b\ufeff", "\u00a0", "\u2060", "\u3164", "\U000e0100"]
)
def test_an_id_without_a_visible_character_is_refused(blank: str) -> None:
    with pytest.raises(InvalidRequestError, match="an id is not blank") as caught:
        valid_id(blank, field="conversation_id")
    assert caught.value.field == "conversation_id"


@pytest.mark.parametrize(
    "text",
    ["a\x00", "a\nb", "\t", "a\x1f", "a\x7f", "a\x80", "a\x85", "a\x9fb", "a\ud800", "\udfff"],
)
def test_an_id_with_a_control_or_half_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError, match="control") as caught:
        valid_id(text, field="actor")
    assert caught.value.field == "actor"


@pytest.mark.parametrize(("char", "fits"), [("x", 1_024), ("é", 512), ("漢", 341), ("😀", 256)])
def test_an_id_holds_1024_bytes_and_not_one_more(char: str, fits: int) -> None:
    assert valid_id(char * fits, field="id") == char * fits
    with pytest.raises(InvalidRequestError, match="max_bytes=1024"):
        valid_id(char * (fits + 1), field="id")


@pytest.mark.parametrize("text", ["c1", "a/b", "..", "%2F", "a b", "漢字", " a ", "x" * 129])
def test_any_other_id_is_kept_as_it_is(text: str) -> None:
    assert valid_id(text, field="id") == text


def test_both_spellings_of_an_accent_are_one_id() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert valid_id(decomposed, field="id") == valid_id(composed, field="id") == composed
    assert key_token(decomposed) == key_token(composed)


@pytest.mark.parametrize("text", PLAIN_IDS)
def test_a_plain_id_is_its_own_token(text: str) -> None:
    assert key_token(text) == text


@pytest.mark.parametrize("text", ODD_IDS)
def test_any_other_id_becomes_a_hash(text: str) -> None:
    assert re.fullmatch(r"~[A-Z2-7]{32}", key_token(text))


def test_the_hash_is_base_32_of_sha_256() -> None:
    """As `sha256sum | xxd -r -p | base32` prints it: any program can find a key."""
    assert (
        key_token("caf\N{LATIN SMALL LETTER E WITH ACUTE}") == "~QUHX3RBZCD7YSD4IPHAO2JX6NF6JHIDH"
    )
    assert key_token("") == "~4OYMIQUY7QOBJGX36TEJS35ZEQT24QPE"


@given(any_ids)
def test_a_token_is_always_one_safe_segment(text: str) -> None:
    assert TOKEN.fullmatch(key_token(text))


@given(any_ids, any_ids)
@example("c1", "c1.json")
@example("~" + "A" * 32, "x")
def test_two_tokens_are_equal_only_if_the_ids_are_under_nfc(one: str, other: str) -> None:
    same = unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)
    assert (key_token(one) == key_token(other)) is same


@given(st.builds(Scope, any_ids, any_ids), any_ids)
def test_a_head_lies_right_below_the_prefix_of_its_scope(scope: Scope, text: str) -> None:
    prefix, key = heads_prefix(scope), head_key(scope, text)
    name = key.removeprefix(prefix)
    assert key.startswith(prefix)
    assert prefix.endswith("/")
    assert "/" not in name
    assert name not in {".", ".."}
    assert key.isascii()


@given(st.builds(Scope, any_ids, any_ids), st.builds(Scope, any_ids, any_ids))
def test_two_scopes_share_no_prefix(one: Scope, other: Scope) -> None:
    prefixes = heads_prefix(one), heads_prefix(other)
    same = key_token(one.tenant) == key_token(other.tenant) and (
        key_token(one.actor) == key_token(other.actor)
    )
    assert prefixes[0].startswith(prefixes[1]) is same


def test_the_layout_is_the_documented_one() -> None:
    scope = Scope("acme", "ann")
    assert head_key(scope, "c1") == "c/acme/ann/c1.json"
    assert head_key(scope, "c1.json") == "c/acme/ann/c1.json.json"
    assert list_cache_key(scope) == "i/acme/ann/conversations"
    assert watermark_key(scope, "c1") == "w/acme/ann/c1.json"
    assert staged_key(scope, "c1", 50) == "x/acme/ann/c1/000000000050.json"
    assert quarantine_key(scope, "c1", 7) == "q/acme/ann/c1/000000000007.json"
    assert token_use_key("acme") == "i/acme/.tokens"
    assert dirty_key(scope, "c1", minute=29_453_760) == "dirty/0029453760/acme/ann/c1"


@given(st.builds(Scope, any_ids, any_ids), any_ids, st.integers(0, 10**12 - 1))
def test_what_is_kept_of_single_turns_lies_below_their_conversation(
    scope: Scope, text: str, number: int
) -> None:
    for key, prefix in (
        (staged_key(scope, text, number), staged_prefix(scope, text)),
        (quarantine_key(scope, text, number), quarantine_prefix(scope, text)),
    ):
        assert key.startswith(prefix)
        assert key.removeprefix(prefix) == f"{number:012d}.json"
        assert key.isascii()


@given(st.integers(0, 10**12 - 1), st.integers(0, 10**12 - 1))
def test_a_listing_of_staged_turns_is_in_their_order(one: int, other: int) -> None:
    scope = Scope("t", "a")
    keys = staged_key(scope, "c", one), staged_key(scope, "c", other)
    assert (keys[0] < keys[1]) is (one < other)


@given(
    st.tuples(st.integers(0, 10**10 - 1), any_ids, any_ids, any_ids),
    st.tuples(st.integers(0, 10**10 - 1), any_ids, any_ids, any_ids),
)
def test_jobs_that_were_dropped_are_listed_oldest_first(
    one: tuple[int, str, str, str], other: tuple[int, str, str, str]
) -> None:
    """There is one of each conversation and minute."""
    keys = [
        dirty_key(Scope(tenant, actor), conversation, minute=minute)
        for minute, tenant, actor, conversation in (one, other)
    ]
    assert all(key.startswith(DIRTY_PREFIX) and key.isascii() for key in keys)
    if one[0] != other[0]:
        assert (keys[0] < keys[1]) is (one[0] < other[0])
    assert (keys[0] == keys[1]) is (_tokens(one) == _tokens(other))


def _tokens(job: tuple[int, str, str, str]) -> tuple[int, list[str]]:
    return job[0], [key_token(part) for part in job[1:]]


@given(any_ids, any_ids)
def test_what_a_tenant_used_is_in_no_scope(tenant: str, actor: str) -> None:
    key = token_use_key(tenant)
    assert not key.startswith(scope_prefix("i", Scope(tenant, actor)))
    assert not is_token(key.rpartition("/")[2])


@given(any_ids)
def test_a_head_at_its_own_key_is_in_its_place(text: str) -> None:
    assert is_head_of(head_key(Scope("t", "a"), text), text)


@pytest.mark.parametrize(
    ("key", "conversation_id"),
    [
        ("c/t/a/c1.json", "c2"),
        ("c/t/a/c1.json", "C1"),
        ("c/t/a/c1.json.json", "c1"),
        ("c/t/a/c1.json", "c1.json"),
        ("c/t/a/c1", "c1"),
        ("c/t/a/../c1.json", "../c1"),
        ("c/t/a/é.json", "é"),
    ],
)
def test_a_head_at_another_key_is_misplaced(key: str, conversation_id: str) -> None:
    assert not is_head_of(key, conversation_id)
