"""Holds what was acknowledged against what is there.

Nothing lost, doubled, moved or out of order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Thread(NamedTuple):
    """A conversation of a user."""

    actor: str
    conversation_id: str


@dataclass(frozen=True, slots=True)
class Said:
    """One turn that an agent appended; its text is no other's.

    `place` is the number that the turn was acknowledged with; None: nobody knows what became of it.
    """

    thread: Thread
    agent: int
    text: str
    place: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Texts by what is wrong with them; all empty where nothing is."""

    lost: Sequence[str]
    """Acknowledged, and not in its conversation."""
    doubled: Sequence[str]
    """There twice or more, acknowledged or not."""
    moved: Sequence[str]
    """There, but not at the number that it was acknowledged with."""
    disordered: Sequence[str]
    """Before a turn of the same conversation that its agent had been acknowledged earlier."""
    strange: Sequence[str]
    """There, and never said in that conversation."""


def judge(said: Sequence[Said], stored: Mapping[Thread, Sequence[str]]) -> Verdict:
    """Compare.

    Args:
        said: what each agent appended, its own in the order in which it did.
        stored: the texts of each conversation by number.
    """
    counts = Counter((thread, text) for thread, texts in stored.items() for text in texts)
    everywhere = Counter(text for texts in stored.values() for text in texts)
    known = [one for one in said if one.place is not None]
    there = [one for one in known if counts[one.thread, one.text]]
    spoken = {(one.thread, one.text) for one in said}
    return Verdict(
        lost=[one.text for one in known if not counts[one.thread, one.text]],
        doubled=[text for text, count in everywhere.items() if count > 1],
        moved=[one.text for one in there if not _is_at(stored[one.thread], one)],
        disordered=_disordered(there, stored),
        strange=[text for thread, text in counts if (thread, text) not in spoken],
    )


def _is_at(texts: Sequence[str], one: Said) -> bool:
    return one.place is not None and one.place < len(texts) and texts[one.place] == one.text


def _disordered(there: Iterable[Said], stored: Mapping[Thread, Sequence[str]]) -> list[str]:
    first: dict[tuple[Thread, str], int] = {}
    for thread, texts in stored.items():
        for at, text in enumerate(texts):
            first.setdefault((thread, text), at)
    newest: dict[tuple[Thread, int], int] = defaultdict(lambda: -1)
    found = []
    for one in there:
        at = first[one.thread, one.text]
        if at < newest[one.thread, one.agent]:
            found.append(one.text)
        newest[one.thread, one.agent] = max(at, newest[one.thread, one.agent])
    return found
