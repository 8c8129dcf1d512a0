"""Marks of tombstones: what was marked is known again, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.upkeep.erase_conversations import encode_marks, mark_of, parse_marks

VERSIONS = st.tuples(st.text(), st.text())


@given(st.sets(VERSIONS), VERSIONS)
def test_what_was_marked_is_known_and_no_other_version(
    marked: set[tuple[str, str]], other: tuple[str, str]
) -> None:
    known = parse_marks(encode_marks(mark_of(key, etag) for key, etag in marked))
    assert all(mark_of(key, etag) in known for key, etag in marked)
    if "\n" not in "".join(other):
        assert (mark_of(*other) in known) == (other in marked)


@given(st.binary())
def test_anything_stored_there_is_read(body: bytes) -> None:
    assert len(parse_marks(body)) <= len(body) / 8
