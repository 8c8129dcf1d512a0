"""The file of a memory: read back as written, the same in a year, and never trusted."""

import json
import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import CorruptRecordError
from everturn.memory.model.codec import encode_memory, parse_memory
from everturn.memory.model.draft import MemoryDraft, SourceDraft, new_memory, new_source
from everturn.memory.model.memory import Memory, Promotion
from everturn.memory.model.source import Outcome, Source
from everturn.memory.model.supersession import Replaces
from golden_files import GOLDEN_FILES, golden_bytes
from memory.model.drawn_memories import drawn_memories, live_memories, memory_times
from memory.model.memories import DAY_NS, START_NS, pattern
from strategies.json_values import json_values

WRITE_GOLDEN = "EVERTURN_WRITE_GOLDEN"
NEW, OLD = "0" * 31 + "1", "0" * 31 + "2"


def _fact() -> Memory:
    draft = MemoryDraft(
        "fact",
        "The deploy\u2028 port is 8080 <b>&",
        subject="Dana",
        importance=9,
        hard=True,
        pinned=True,
        valid_from_ns=START_NS - DAY_NS,
        provenance="observed",
    )
    memory = new_memory(draft)
    said = [
        SourceDraft("thread-1", 3, 4, "the port is 8080"),
        SourceDraft(key="k"),
        SourceDraft(),
        SourceDraft("thread-1", 9, 9, "as I said"),
    ]
    for day, source in enumerate(said):
        memory = memory.with_source(new_source(source, memory, now_ns=START_NS + day * DAY_NS + 1))
    for number in range(32):
        memory = memory.with_source(Source(f"{number:016x}", START_NS + 10 * DAY_NS + number))
    edge = Replaces(OLD, START_NS + 5, START_NS + 4)
    return replace(memory, replaces=(edge,), write="a")


def _pattern() -> Memory:
    memory = pattern(("a", "tag it"), ("b", "tag it, then push"), ("c", "tag it, then push"))
    memory = memory.with_outcome(Outcome("f" * 16, "failure", START_NS + 9 * DAY_NS))
    return replace(memory, promoted=Promotion("deploy", START_NS + 10 * DAY_NS), write="b")


GOLDEN = {
    "memory.json": _fact(),
    "memory_pattern.json": _pattern(),
    "memory_forgotten.json": replace(_fact().forgotten(START_NS + 20 * DAY_NS), write="c"),
    "memory_gone.json": replace(_fact().gone(START_NS + 20 * DAY_NS, ["0" * 16]), write="d"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_file_says_the_same_as_ever(name: str) -> None:
    """Whoever stored memories with an earlier release reads them with this one."""
    memory = GOLDEN[name]
    if os.environ.get(WRITE_GOLDEN):
        (GOLDEN_FILES / name).write_bytes(encode_memory(memory))
    assert golden_bytes(name) == encode_memory(memory)
    assert parse_memory(golden_bytes(name), memory.rid) == memory


@given(drawn_memories)
def test_a_file_is_read_as_it_was_written(memory: Memory) -> None:
    assert parse_memory(encode_memory(memory), memory.rid) == memory


@given(drawn_memories)
def test_two_writes_of_the_same_have_other_bytes(memory: Memory) -> None:
    """An etag of S3 is a hash of the bytes: a late write must not find its old one again."""
    one, other = replace(memory, write="1" * 24), replace(memory, write="2" * 24)
    assert one == other
    assert encode_memory(one) != encode_memory(other)


@given(live_memories, memory_times)
def test_a_forgotten_file_holds_ids_and_times_alone(memory: Memory, now_ns: int) -> None:
    fields = json.loads(encode_memory(memory.forgotten(now_ns)))
    kept = {"id", "kind", "forgotten", "times", "refs", "supersedes", "write"}
    assert set(fields) - {"valid_from"} == kept
    assert all(set(edge) == {"id", "at", "from"} for edge in fields["supersedes"])


def test_counts_and_times_are_written_for_other_readers_and_made_anew() -> None:
    """Whoever takes a source out by hand need not mend them."""
    fields = json.loads(encode_memory(_fact()))
    assert (fields["count"], fields["coverage"], fields["strength"]) == (35, 35, 1.0)
    planted = fields | {"count": 1, "coverage": 1, "strength": 0.0, "first_seen": "x"}
    assert parse_memory(json.dumps(planted).encode(), _fact().rid) == _fact()


def test_a_file_of_another_id_is_corrupt() -> None:
    with pytest.raises(CorruptRecordError) as caught:
        parse_memory(encode_memory(_fact()), NEW)
    assert "8080" not in str(caught.value)


@given(st.binary(max_size=30))
def test_bytes_that_are_no_file_are_corrupt(body: bytes) -> None:
    with pytest.raises(CorruptRecordError):
        parse_memory(body, NEW)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = [path] if path else []
    for name, inner in items:
        deeper = (*path, name)
        found += _paths(inner, deeper) if isinstance(inner, dict | list) else [deeper]
    return found


def _planted(memory: Memory, path: tuple[Any, ...], value: Any) -> bytes:  # noqa: ANN401
    fields = json.loads(encode_memory(memory))
    inner = fields
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return json.dumps(fields).encode()


@given(st.data(), st.sampled_from(list(GOLDEN.values())), json_values)
def test_a_value_of_another_shape_anywhere_is_corrupt_or_harmless(
    data: st.DataObject,
    memory: Memory,
    value: Any,  # noqa: ANN401
) -> None:
    """What can be read can be written again, and ranked."""
    path = data.draw(st.sampled_from(_paths(json.loads(encode_memory(memory)))))
    body = _planted(memory, path, value)
    try:
        found = parse_memory(body, memory.rid)
    except CorruptRecordError:
        return
    assert parse_memory(encode_memory(found), memory.rid) == found


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("memory.json", ("importance",), float("inf")),
        ("memory.json", ("importance",), 10**400),
        ("memory.json", ("importance",), 11),
        ("memory.json", ("importance",), -1),
        ("memory.json", ("importance",), "5"),
        ("memory.json", ("valid_from",), "9999-12-31T00:00:00Z"),
        ("memory.json", ("valid_from",), "0001-01-01T00:00:00Z"),
        ("memory.json", ("sources", 0, "at"), "2300-01-01T00:00:00Z"),
        ("memory.json", ("sources", 0, "ref"), "no hexadecimal d"),
        ("memory.json", ("sources", 0, "ref"), "ab"),
        ("memory.json", ("more", 0, 0), "AB" * 8),
        ("memory.json", ("supersedes", 0, "id"), 7),
        ("memory.json", ("supersedes", 0, "id"), [OLD]),
        ("memory.json", ("supersedes", 0, "id"), "7"),
        ("memory.json", ("statement",), None),
        ("memory.json", ("kind",), "pattern"),
        ("memory.json", ("kind",), ["fact"]),
        ("memory_pattern.json", ("promoted",), 0),
        ("memory_pattern.json", ("promoted",), {}),
        ("memory_pattern.json", ("outcomes", 0, 1), "great"),
        ("memory_pattern.json", ("spec", "steps"), "tag it"),
        ("memory_forgotten.json", ("times", 0), None),
        ("memory_forgotten.json", ("refs", 0), "x"),
        ("memory_gone.json", ("gone",), "2300-01-01T00:00:00Z"),
        ("memory_gone.json", ("write",), None),
    ],
)
def test_what_could_not_be_ranked_is_corrupt(
    name: str,
    path: tuple[Any, ...],
    value: Any,  # noqa: ANN401
) -> None:
    """One bad record must not take the others of its actor along."""
    memory = GOLDEN[name]
    with pytest.raises(CorruptRecordError):
        parse_memory(_planted(memory, path, value), memory.rid)
