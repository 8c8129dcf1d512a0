"""A job of the queue: what it says, and what is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import CorruptRecordError, InvalidRequestError
from everturn.values.job import Job, parse_job
from everturn.values.keys import Scope, Token, is_token, key_token, valid_id
from strategies.json_values import json_values


def is_id(text: str) -> bool:
    try:
        return valid_id(text, field="id") == text
    except InvalidRequestError:
        return False


FIELDS = ("tenant", "actor", "conversation_id", "token")
IDS = st.text(min_size=1, max_size=20).filter(is_id)
KNOWN_IDS = IDS | IDS.map(lambda text: Token(key_token(text)))
JOBS = st.builds(Job, st.builds(Scope, KNOWN_IDS, KNOWN_IDS), KNOWN_IDS)


def ids(job: Job) -> list[str]:
    return [job.scope.tenant, job.scope.actor, job.conversation_id]


@given(JOBS)
def test_a_job_is_read_as_it_was_written(job: Job) -> None:
    read = parse_job(job.encode())
    assert read == job
    assert [key_token(value) for value in ids(read)] == [key_token(value) for value in ids(job)]


@given(JOBS)
def test_a_job_is_ascii_and_its_group_and_digest_are_names(job: Job) -> None:
    assert job.encode().isascii()
    assert is_token(job.group)
    assert len(job.group) <= 128
    assert len(job.digest) == 32
    assert set(job.digest) <= set("0123456789abcdef")


def test_a_job_says_ids_and_nothing_else() -> None:
    text = Job(Scope("acme", "dana"), "trip").encode()
    assert text == '{"tenant":"acme","actor":"dana","conversation_id":"trip"}'


def test_a_hash_is_no_id() -> None:
    """An id may look like the hash of another one."""
    looks = "~" + "A" * 32
    by_id, by_token = Job(Scope("t", "a"), looks), Job(Scope("t", "a"), Token(looks))
    assert by_id.encode() != by_token.encode()
    assert by_id.digest != by_token.digest
    assert key_token(parse_job(by_token.encode()).conversation_id) == looks


def test_parts_of_a_job_do_not_run_into_one_another() -> None:
    digests = {Job(Scope("a", "b"), "c").digest, Job(Scope("a", "b/c"), "d").digest}
    assert len(digests | {Job(Scope("a/b", "c"), "d").digest}) == 3


def test_ids_are_compared_under_nfc() -> None:
    text = '{"tenant":"t","actor":"a","conversation_id":"e\\u0301"}'
    assert parse_job(text) == Job(Scope("t", "a"), "é")


def test_what_a_later_version_adds_is_passed_over() -> None:
    text = '{"tenant":"t","actor":"a","conversation_id":"c","version":"v1"}'
    assert parse_job(text) == Job(Scope("t", "a"), "c")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "null",
        "[]",
        "{}",
        '"tenant"',
        '["tenant","actor","conversation_id"]',
        "[" * 100_000,
        '{"tenant":"t","actor":"a"}',
        '{"tenant":"t","actor":"a","conversation_id":null}',
        '{"tenant":"t","actor":"a","conversation_id":""}',
        '{"tenant":"t","actor":"a","conversation_id":"\\u200b"}',
        '{"tenant":"t","actor":"a","conversation_id":"a\\u0000b"}',
        '{"tenant":"t","actor":"a","conversation_id":"\\ud800"}',
        '{"tenant":"t","actor":"a","conversation_id":["c"]}',
        '{"tenant":"t","actor":{},"conversation_id":"c"}',
        '{"tenant":"t","actor":{"token":7},"conversation_id":"c"}',
        '{"tenant":"t","actor":{"token":"a/b"},"conversation_id":"c"}',
    ],
)
def test_what_is_no_job_is_told_without_its_text(text: str) -> None:
    with pytest.raises(CorruptRecordError) as caught:
        parse_job(text)
    assert caught.value.message == "a job of the queue cannot be read"


@given(json_values | st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_no_json_makes_it_raise_anything_else(value: object) -> None:
    try:
        job = parse_job(json.dumps(value))
    except CorruptRecordError:
        return
    assert all(map(key_token, ids(job)))
