"""Etags of documents: opaque in HTTP, exact for the store."""

import base64
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.edge.responses.documents import expected_version, parse_etag, shown_etag
from everturn.errors import InvalidRequestError
from everturn.ports.object_store import ABSENT, Etag

ETAGS = ['"d41d8cd98f00b204e9800998ecf8427e"', '"d41d8cd98f00b204e9800998ecf8427e-12"',
         "1767225600000000000-123", '"1"', "x"]  # fmt: skip


@pytest.mark.parametrize("etag", ETAGS)
def test_an_etag_comes_back_as_it_was_in_quotes_or_bare(etag: str) -> None:
    shown = shown_etag(Etag(etag))
    assert parse_etag(shown, field="If-Match") == etag
    assert parse_etag(f' "{shown}" ', field="If-Match") == etag


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=80))
def test_what_is_shown_is_a_token_and_reads_back_unless_it_could_mean_any(etag: str) -> None:
    shown = shown_etag(Etag(etag))
    assert shown.isascii()
    assert not set(shown) & set('"=+/,* ')
    if set(etag) & {"*", ","}:
        with pytest.raises(InvalidRequestError):
            parse_etag(shown, field="If-Match")
    else:
        assert parse_etag(shown, field="If-Match") == etag


@given(st.text(max_size=40))
def test_any_header_is_an_etag_or_refused(text: str) -> None:
    with suppress(InvalidRequestError):
        etag = parse_etag(text, field="If-Match")
        assert etag is not None
        assert etag.isascii()
        assert etag.isprintable()


def token(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


@pytest.mark.parametrize(
    "text",
    ["", "*", '"', '""', 'W/"IjEi"', '"IjEi", "IjIi"', "IjEi,IjIi", '"IjEi', "a", "é", "IjEi\n\nx",
     token(b"*"), token(b'"1", "2"'), token(b'"1"\r\nx: y'), token(b"\xff"), token(b"a b")],
)  # fmt: skip
def test_what_we_did_not_give_out_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse_etag(text, field="If-None-Match")
    assert caught.value.field == "If-None-Match"


def test_a_put_expects_a_version_nothing_or_anything() -> None:
    shown = shown_etag(Etag('"1"'))
    assert expected_version(None, None) is None
    assert expected_version(f'"{shown}"', None) == '"1"'
    assert expected_version(None, "*") is ABSENT
    assert expected_version(None, " * ") is ABSENT


@pytest.mark.parametrize(("match", "none_match"), [("IjEi", "*"), (None, "IjEi"), (None, '"*"')])
def test_a_put_takes_no_other_condition(match: str | None, none_match: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        expected_version(match, none_match)
    assert caught.value.field == "If-None-Match"
