"""The file of what is decided and not applied yet.

Read back as written, and of which turns it is.
"""

import json
import os
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.model.sealed_values import turn
from everturn.consolidation.files import Staged, parse_staged
from everturn.conversations.model.encoded_turns import redacted
from everturn.conversations.model.watermark import turn_hashes
from everturn.errors import CorruptRecordError
from everturn.extraction.answers.findings import Extracted
from everturn.memory.model.draft import MemoryDraft
from everturn.values.go_json import JsonValue
from everturn.values.memory_kind import KINDS, PROVENANCES
from golden_files import GOLDEN_FILES, golden_bytes
from memory.model.pattern_specs import pattern_specs
from strategies.json_values import json_values, texts

WRITE_GOLDEN = "EVERTURN_WRITE_GOLDEN"
TURNS = [turn(number) for number in range(12)]


def _staged(first: int, end: int, *memories: Extracted) -> Staged:
    return Staged(
        "c1", first, end, "".join(turn_hashes(TURNS[first:end])), "gateway:small", memories
    )


GOLDEN = _staged(
    3,
    6,
    Extracted(
        MemoryDraft(
            "fact", "The port is 8080 <b>&", subject="user", importance=7, provenance="derived"
        ),
        3,
        4,
        "the port\u2028 is 8080",
        "state",
    ),
    Extracted(
        MemoryDraft(
            "pattern", spec={"name": "Deploy", "steps": ["tag it", "push"]}, provenance="observed"
        ),
        5,
        5,
        "tag it, then push",
    ),
)

_drafts = st.builds(
    MemoryDraft,
    st.sampled_from(KINDS),
    st.none() | texts,
    st.none() | json_values | pattern_specs.map(lambda spec: spec.to_json()),
    subject=st.none() | texts,
    importance=st.none() | st.integers(0, 10),
    provenance=st.sampled_from(PROVENANCES),
)
_extracted = st.builds(Extracted, _drafts, st.integers(0), st.integers(0), texts, texts)
_all_staged = st.builds(
    Staged, texts, st.integers(0), st.integers(0), texts, texts,
    st.lists(_extracted, max_size=3).map(tuple),
)  # fmt: skip


def test_a_file_says_the_same_as_ever() -> None:
    """What an earlier release decided is applied by this one."""
    if os.environ.get(WRITE_GOLDEN):
        path = GOLDEN_FILES / "staged.json"
        path.write_bytes(GOLDEN.encode())
    assert GOLDEN.encode() == golden_bytes("staged.json")
    assert parse_staged(golden_bytes("staged.json")) == GOLDEN


@given(_all_staged)
def test_a_file_is_read_as_it_was_written(staged: Staged) -> None:
    assert parse_staged(staged.encode()) == staged


@given(st.binary(max_size=30))
def test_bytes_that_are_no_file_are_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        parse_staged(body)


@pytest.mark.parametrize("name", json.loads(GOLDEN.encode()))
def test_a_file_that_lacks_anything_is_corrupt(name: str) -> None:
    fields = json.loads(GOLDEN.encode())
    del fields[name]
    with pytest.raises(CorruptRecordError):
        parse_staged(json.dumps(fields).encode())


@given(json_values, st.sampled_from([*json.loads(GOLDEN.encode())]))
def test_a_value_of_another_shape_is_corrupt_or_covers_nothing_new(
    value: JsonValue, name: str
) -> None:
    body = json.dumps({**json.loads(GOLDEN.encode()), name: value}).encode()
    try:
        staged = parse_staged(body)
    except CorruptRecordError:
        return
    assert parse_staged(staged.encode()) == staged


def test_it_covers_the_turns_that_it_was_found_in_whatever_comes_after_them() -> None:
    staged = _staged(3, 6)
    assert staged.covers(TURNS[3:6])
    assert staged.covers(TURNS[3:])


def _changed(at: int, value: JsonValue) -> Sequence[JsonValue]:
    return [*TURNS[3:at], value, *TURNS[at + 1 :]]


@pytest.mark.parametrize(
    "values",
    [
        [],
        TURNS[3:5],
        TURNS[4:],
        TURNS,
        _changed(3, turn(3, "another")),
        _changed(5, turn(5, "another")),
        _changed(4, redacted(TURNS[4], text="").value),
        _changed(4, turn(4, role="assistant")),
        _changed(4, turn(4, ts="2026-01-01T00:00:00Z")),
        [TURNS[4], TURNS[3], *TURNS[5:]],
    ],
)
def test_it_covers_no_others(values: Sequence[JsonValue]) -> None:
    """Fewer, others, in another order, redacted since, or the same words at another time."""
    assert not _staged(3, 6).covers(values)


@given(_all_staged, _all_staged)
def test_its_digest_tells_it_from_another_extraction(one: Staged, other: Staged) -> None:
    assert (one.digest == other.digest) is (one.encode() == other.encode())
    assert parse_staged(one.encode()).digest == one.digest


@pytest.mark.parametrize("number", [b"1e999", b"null", b'"x"', b"[]"])
def test_a_number_that_is_none_is_corrupt(number: bytes) -> None:
    body = GOLDEN.encode().replace(b'"end":6', b'"end":' + number)
    with pytest.raises(CorruptRecordError):
        parse_staged(body)


@pytest.mark.parametrize("known", [0, 1, 2, 3, 4])
def test_it_goes_on_from_fewer_turns_that_are_the_same(known: int) -> None:
    """Whoever read the head earlier must not take it for one of other turns."""
    assert GOLDEN.goes_on_from(TURNS[3 : 3 + known]) == (known < 3)
    assert not GOLDEN.goes_on_from([turn(99)])
