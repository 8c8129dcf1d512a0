"""Patches of title, folder, archive and metadata."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.patch import KEEP, Patch
from everturn.errors import InvalidRequestError
from everturn.values.go_json import JsonObject, JsonValue
from strategies.json_values import json_objects, texts

HEAD = Head(
    "c1",
    turns_json=b'{"role":"user","text":"hi"}',
    turn_count=1,
    updated_ns=5,
    title="t",
    folder="f",
    archived=True,
    metadata={"a": 1, "b": {"c": 2}},
    foreign=(("x", "1"),),
)
patches = st.builds(
    Patch,
    title=st.just(KEEP) | st.none() | texts,
    folder=st.just(KEEP) | st.none() | texts,
    archived=st.just(KEEP) | st.booleans(),
    metadata=st.just(KEEP) | st.none() | json_objects,
)


def test_an_empty_patch_changes_nothing() -> None:
    assert Patch().applied_to(HEAD) == HEAD


@pytest.mark.parametrize(
    "patch",
    [
        Patch(title="t"),
        Patch(folder="f"),
        Patch(archived=True),
        Patch(metadata={}),
        Patch(metadata={"a": 1}),
        Patch(metadata={"unknown": None}),
        Patch("t", "f", archived=True, metadata={"b": {"c": 2}}),
    ],
)
def test_a_patch_with_what_is_there_gives_an_equal_head(patch: Patch) -> None:
    assert patch.applied_to(HEAD) == HEAD


@pytest.mark.parametrize(
    ("patch", "title", "folder", "archived"),
    [
        (Patch(title="new"), "new", "f", True),
        (Patch(title=None), "", "f", True),
        (Patch(title=""), "", "f", True),
        (Patch(folder="new"), "t", "new", True),
        (Patch(folder=None), "t", None, True),
        (Patch(folder=""), "t", None, True),
        (Patch(archived=False), "t", "f", False),
    ],
)
def test_only_the_named_fields_change(
    patch: Patch, title: str, folder: str | None, *, archived: bool
) -> None:
    after = patch.applied_to(HEAD)
    assert (after.title, after.folder, after.archived) == (title, folder, archived)
    assert (after.metadata, after.foreign) == (HEAD.metadata, HEAD.foreign)


@pytest.mark.parametrize(
    ("changes", "merged"),
    [
        ({"n": 5}, {"a": 1, "b": {"c": 2}, "n": 5}),
        ({"a": [2]}, {"a": [2], "b": {"c": 2}}),
        ({"b": {"d": 3}}, {"a": 1, "b": {"d": 3}}),
        ({"a": None}, {"b": {"c": 2}}),
        ({"b": {"c": None}}, {"a": 1, "b": {"c": None}}),
        ({"a": False, "b": 0}, {"a": False, "b": 0}),
        ({"a": None, "b": None}, None),
        (None, None),
    ],
)
def test_metadata_is_merged_by_its_first_keys_and_null_removes(
    changes: JsonObject | None, merged: JsonObject | None
) -> None:
    assert Patch(metadata=changes).applied_to(HEAD).metadata == merged


def test_merged_metadata_above_16_kib_is_refused() -> None:
    """Each half fits; what counts is what would be stored."""
    half: JsonObject = {"a": "x" * 10_000}
    head = Patch(metadata=half).applied_to(Head("c1"))
    with pytest.raises(InvalidRequestError, match="max_bytes=16384") as caught:
        Patch(metadata={"b": "x" * 10_000}).applied_to(head)
    assert caught.value.field == "metadata"
    swapped = Patch(metadata={"b": "x" * 10_000, "a": None}).applied_to(head)
    assert swapped.metadata == {"b": "x" * 10_000}


def test_metadata_that_is_nested_too_deeply_is_refused() -> None:
    deep: JsonValue = "x"
    for _ in range(70):
        deep = [deep]
    with pytest.raises(InvalidRequestError, match="nested too deeply"):
        Patch(metadata={"k": deep}).applied_to(HEAD)


@pytest.mark.parametrize(
    ("raw", "patch"),
    [
        ('"title":5', Patch(title="new")),
        ('"folder":["f"]', Patch(folder="new")),
        ('"archived":"yes"', Patch(archived=True)),
        ('"metadata":"text"', Patch(metadata={"k": 1})),
    ],
)
def test_a_foreign_value_under_our_name_gives_way_to_a_patch(raw: str, patch: Patch) -> None:
    """Never two members of one name: which one a reader took would be luck."""
    body = f'{{"conversation_id":"c1","turns":[],{raw},"x":1}}'
    after = patch.applied_to(parse_record(body.encode(), name="c1").head)
    name = raw.partition(":")[0]
    assert after.encode().count(f"{name}:".encode()) == 1
    assert after.foreign == (("x", "1"),)


@given(patches)
def test_a_patch_twice_is_a_patch_once(patch: Patch) -> None:
    once = patch.applied_to(HEAD)
    assert patch.applied_to(once) == once


@given(patches)
def test_a_patch_leaves_turns_time_and_foreign_fields_alone(patch: Patch) -> None:
    after = patch.applied_to(HEAD)
    assert (after.turns_json, after.turn_count, after.updated_ns, after.foreign) == (
        HEAD.turns_json, HEAD.turn_count, HEAD.updated_ns, HEAD.foreign,
    )  # fmt: skip


@given(patches)
def test_a_patched_head_reads_back_equal(patch: Patch) -> None:
    after = patch.applied_to(HEAD)
    assert parse_record(after.encode(), name="c1").head == after
