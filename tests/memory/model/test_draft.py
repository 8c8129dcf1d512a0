"""What may become a memory, and what is filled in where nothing is said."""

from typing import Any, Literal

import pytest

from everturn.errors import InvalidRequestError
from everturn.memory.model.draft import MemoryDraft, SourceDraft, new_memory, new_source
from everturn.memory.model.identity import source_ref
from everturn.memory.model.source import FIRST_NS, LAST_NS
from everturn.values.memory_kind import KINDS

TEA = new_memory(MemoryDraft("fact", "Dana likes tea."))
NOW_NS = 77


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("kind", {"kind": "hope"}),
        ("kind", {"kind": ""}),
        ("kind", {"kind": "Fact"}),
        ("statement", {"statement": None}),
        ("statement", {"statement": ""}),
        ("statement", {"statement": " \n\t "}),
        ("statement", {"statement": "\u200b"}),
        ("statement", {"statement": "..."}),
        ("statement", {"statement": "x" * 4_001}),
        ("spec", {"spec": {"steps": ["a"]}}),
        ("spec", {"statement": None, "spec": {"steps": ["a"]}}),
        ("spec", {"kind": "pattern", "spec": {"steps": ["a"]}}),
        ("spec", {"kind": "pattern", "statement": None}),
        ("statement", {"kind": "pattern", "statement": " "}),
        ("spec.steps[1]", {"kind": "pattern", "statement": None, "spec": {"steps": ["a", 1]}}),
        ("spec", {"kind": "pattern", "statement": None, "spec": {"name": "!"}}),
        ("subject", {"subject": "x" * 201}),
        ("importance", {"importance": -1}),
        ("importance", {"importance": 11}),
        ("valid_from", {"valid_from_ns": FIRST_NS - 1}),
        ("valid_from", {"valid_from_ns": LAST_NS + 1}),
    ],
)
def test_a_refusal_names_the_field(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        new_memory(MemoryDraft(**{"kind": "fact", "statement": "Secret tea."} | given))
    assert caught.value.field == field
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"statement": "x" * 4_000},
        {"subject": "x" * 200},
        {"importance": 0},
        {"importance": 10},
        {"valid_from_ns": FIRST_NS},
        {"valid_from_ns": LAST_NS},
        {"statement": " Tea?! "},
    ],
)
def test_what_is_just_within_the_limits_is_taken(given: dict[str, Any]) -> None:
    new_memory(MemoryDraft(**{"kind": "fact", "statement": "Tea."} | given))


@pytest.mark.parametrize(
    ("kind", "subject", "importance"),
    [
        ("fact", "", 5), ("event", "", 4), ("pattern", "", 6), ("preference", "user", 7),
        ("goal", "user", 6), ("constraint", "", 8),
    ],
)  # fmt: skip
def test_what_is_not_said_follows_from_the_kind(kind: str, subject: str, importance: int) -> None:
    memory = new_memory(MemoryDraft(kind, "Tea."))
    assert (memory.subject, memory.importance) == (subject, importance)
    assert (memory.hard, memory.pinned, memory.valid_from_ns) == (False, False, None)


def test_all_kinds_have_what_is_not_said() -> None:
    assert {new_memory(MemoryDraft(kind, "Tea.")).kind for kind in KINDS} == set(KINDS)


@pytest.mark.parametrize("subject", ["user", "User", " USER "])
def test_a_fact_about_the_user_matters_more(subject: str) -> None:
    assert new_memory(MemoryDraft("fact", "Tea.", subject=subject)).importance == 7


def test_kind_and_subject_make_another_memory() -> None:
    drafts = [
        MemoryDraft("fact", "Tea."),
        MemoryDraft("event", "Tea."),
        MemoryDraft("fact", "Tea.", subject="Dana"),
        MemoryDraft("fact", "Tea.", subject="user"),
    ]
    assert len({new_memory(draft).rid for draft in drafts}) == len(drafts)


def test_the_same_in_other_words_of_the_same_is_one_memory() -> None:
    same = [" dana LIKES  tea", "Dana likes tea!", "Dana likes tea."]
    assert {new_memory(MemoryDraft("fact", text)).rid for text in same} == {TEA.rid}


def test_half_a_surrogate_pair_is_stored_as_what_utf_8_can_hold() -> None:
    assert new_memory(MemoryDraft("fact", "tea \ud800")).statement == "tea \ufffd"


@pytest.mark.parametrize(
    ("draft", "kind", "value"),
    [
        (SourceDraft("thread"), "conversation", "thread"),
        (SourceDraft("thread", key="k"), "conversation", "thread"),
        (SourceDraft(key="k"), "key", "k"),
        (SourceDraft(), "direct", ""),
    ],
)
def test_a_source_is_a_conversation_else_a_key_else_nothing(
    draft: SourceDraft,
    kind: Literal["conversation", "key", "direct"],
    value: str,
) -> None:
    source = new_source(draft, TEA, now_ns=NOW_NS)
    assert (source.ref, source.at_ns) == (source_ref(kind, value), NOW_NS)


@pytest.mark.parametrize(
    ("draft", "turns"),
    [
        (SourceDraft("t"), (None, None)),
        (SourceDraft("t", 3), (3, 3)),
        (SourceDraft("t", None, 3), (3, 3)),
        (SourceDraft("t", 0, 3), (0, 3)),
    ],
)
def test_one_end_of_a_range_of_turns_is_both(
    draft: SourceDraft, turns: tuple[int | None, int | None]
) -> None:
    source = new_source(draft, TEA, now_ns=NOW_NS)
    assert (source.first_turn, source.last_turn) == turns


@pytest.mark.parametrize(
    ("field", "draft"),
    [
        ("source.conversation_id", SourceDraft("")),
        ("source.conversation_id", SourceDraft("a\x00")),
        ("source.conversation_id", SourceDraft(first_turn=1)),
        ("source.conversation_id", SourceDraft(last_turn=1)),
        ("source.conversation_id", SourceDraft(key="k", quote="x")),
        ("source.to", SourceDraft("t", 4, 3)),
        ("source.to", SourceDraft("t", -1, 3)),
        ("source.quote", SourceDraft("t", quote="x" * 2_001)),
    ],
)
def test_a_refused_source_names_the_field(field: str, draft: SourceDraft) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        new_source(draft, TEA, now_ns=NOW_NS)
    assert caught.value.field == field


def test_an_id_in_another_unicode_form_is_the_same_source() -> None:
    forms = [SourceDraft("caf\u00e9"), SourceDraft("cafe\u0301")]
    assert len({new_source(draft, TEA, now_ns=NOW_NS).ref for draft in forms}) == 1
