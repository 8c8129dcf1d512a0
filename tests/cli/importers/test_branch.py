from hypothesis import given
from hypothesis import strategies as st

from everturn.cli.importers.foreign_json import branch_to, newest_leaf

PARENTS = st.dictionaries(st.sampled_from("abcdef"), st.none() | st.sampled_from("abcdefx"))


def test_a_branch_leads_from_the_root_to_its_leaf() -> None:
    parents = {"a": None, "b": "a", "c": "b", "d": "b"}
    assert branch_to("d", parents) == ["a", "b", "d"]
    assert branch_to("a", parents) == ["a"]
    assert branch_to("x", parents) == []


def test_a_parent_that_is_missing_is_none() -> None:
    assert branch_to("b", {"b": "gone"}) == ["b"]


@given(PARENTS)
def test_any_links_are_walked_once(parents: dict[str, str | None]) -> None:
    leaf = newest_leaf(parents, {})
    assert (leaf is None) is not bool(parents)
    if leaf is not None:
        branch = branch_to(leaf, parents)
        assert branch[-1] == leaf
        assert len(set(branch)) == len(branch)


def test_the_newest_leaf_is_the_latest_and_of_equal_ones_the_last() -> None:
    parents = {"a": None, "b": "a", "c": "a", "d": "a"}
    assert newest_leaf(parents, {"b": "2026", "c": "2025"}) == "b"
    assert newest_leaf(parents, {"a": "2027", "b": "2026", "c": "2026"}) == "c"
    assert newest_leaf(parents, {}) == "d"


def test_a_circle_has_a_leaf_all_the_same() -> None:
    assert newest_leaf({"a": "b", "b": "a"}, {"a": "2026"}) == "a"
