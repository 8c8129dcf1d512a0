"""The messages of one branch of a tree: what a person saw who edited and asked again."""

from collections.abc import Mapping


def branch_to(leaf: str, parents: Mapping[str, str | None]) -> list[str]:
    """Return the ids from the root of a tree to a leaf.

    A parent that is not there is none; a circle is walked once.
    """
    branch: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in branch:
        branch[at] = None
        at = parents[at]
    return list(branch)[::-1]


def newest_leaf(parents: Mapping[str, str | None], times: Mapping[str, str]) -> str | None:
    """Return the leaf whose time is the latest, of equal ones the last; None of an empty tree.

    Args:
        parents: each id's parent.
        times: RFC 3339 times of some of them, in UTC.
    """
    inner = {parent for one, parent in parents.items() if parent != one}
    leaves = [one for one in parents if one not in inner] or list(parents)
    if not leaves:
        return None
    return max(enumerate(leaves), key=lambda leaf: (times.get(leaf[1], ""), leaf[0]))[1]
