"""The tags of a scope's session.

They name its keys, and hold nothing that a policy could misread.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.adapters.aws.scope_credentials import NO_TAG, session_tags
from everturn.values.keys import Scope, Token, key_token, valid_id

HASH = re.compile(r"[A-Z2-7]{32}")
# What STS takes, and what a policy does not read as anything else.
# https://docs.aws.amazon.com/STS/latest/APIReference/API_Tag.html
VALUE = re.compile(r"[A-Za-z0-9._-]{1,128}")
IDS = st.text(alphabet="a/~-A2", min_size=1, max_size=3).filter(lambda id_: id_.strip() != "")


def test_a_plain_id_is_a_tag_as_it_is_and_any_other_is_one_by_its_hash() -> None:
    assert dict(session_tags(Scope("acme", "Alice.1-_"))) == {
        "tenant": "acme",
        "tenant_hash": NO_TAG,
        "actor": "Alice.1-_",
        "actor_hash": NO_TAG,
    }
    tags = dict(session_tags(Scope("a/b", "c")))
    assert (tags["tenant"], tags["actor"], tags["actor_hash"]) == (NO_TAG, "c", NO_TAG)
    assert f"~{tags['tenant_hash']}" == key_token("a/b")


@pytest.mark.parametrize(
    "id_",
    ["*", "?", "a*", "a?c", "$", "${*}", "${aws:username}", "${aws:PrincipalTag/actor}", "a/../b",
     "~", "-", "..", "b/c", "~" + "A" * 32, "é", "e\u0301", "日本", "a b", "a\u200bb", "x" * 1_024],
)  # fmt: skip
def test_an_id_that_a_policy_could_misread_is_hashed(id_: str) -> None:
    tags = dict(session_tags(Scope(id_, id_)))
    assert tags["tenant"] == tags["actor"] == NO_TAG
    assert HASH.fullmatch(tags["tenant_hash"])


@given(tenant=st.text(), actor=st.text())
def test_whatever_the_ids_are_no_tag_holds_what_could_widen_a_policy(
    tenant: str, actor: str
) -> None:
    tags = session_tags(Scope(tenant, actor))
    assert all(VALUE.fullmatch(value) for _, value in tags)
    assert [name for name, _ in tags] == ["tenant", "tenant_hash", "actor", "actor_hash"]


@given(one=st.tuples(IDS, IDS), other=st.tuples(IDS, IDS))
def test_two_scopes_have_the_same_tags_only_where_they_have_the_same_keys(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    keys = [tuple(key_token(valid_id(id_, field="id")) for id_ in scope) for scope in (one, other)]
    same = session_tags(Scope(*one)) == session_tags(Scope(*other))
    assert same is (keys[0] == keys[1])


def test_a_hash_that_is_known_as_such_is_a_tag_as_its_id_is() -> None:
    """A job may name a scope by the parts of its keys alone."""
    named = Scope(Token(key_token("a/b")), Token("alice"))
    assert session_tags(named) == session_tags(Scope("a/b", "alice"))
