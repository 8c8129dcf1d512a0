"""What a public set has of statements about its conversations, and the questions asked of them.

In LoCoMo they are the `observation`s: what each speaker said of himself in a session, with the
turns that it was taken from. The questions name the turns that answer them.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recall_sets import LOCOMO_KINDS, date_seconds, evidence_of

from everturn.memory.model.draft import SourceDraft
from everturn.values.timestamps import NANOSECONDS

_TURN_S, _DAY_S = 60, 86_400


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, whom it is about, and the turns that it was taken from: `D3:14` and so on."""

    text: str
    subject: str
    session: int
    turns: frozenset[str]
    at_ns: int

    @property
    def source(self) -> SourceDraft:
        """The session as a conversation of its own."""
        numbers = sorted(int(turn.partition(":")[2]) for turn in self.turns)
        return SourceDraft(f"session-{self.session}", numbers[0], numbers[-1], at_ns=self.at_ns)


@dataclass(frozen=True, slots=True)
class AskedStatements:
    """The statements about one conversation, oldest first; questions as (text, kind, turns).

    `asked_ns` is a day after the last one.
    """

    id: str
    statements: tuple[Statement, ...]
    questions: tuple[tuple[str, str, frozenset[str]], ...]

    @property
    def asked_ns(self) -> int:
        return self.statements[-1].at_ns + _DAY_S * NANOSECONDS

    @property
    def turns(self) -> frozenset[str]:
        """All turns that a statement was taken from."""
        return frozenset().union(*(one.turns for one in self.statements))


def load_statements(folder: Path) -> list[AskedStatements]:
    """Read LoCoMo."""
    samples = json.loads((folder / "locomo10.json").read_text(encoding="utf-8"))
    return [_asked(sample) for sample in samples]


def _asked(sample: Mapping[str, Any]) -> AskedStatements:
    talk = sample["conversation"]
    turns = {
        turn["dia_id"] for name, session in talk.items() if _is_session(name) for turn in session
    }
    asked = (
        (str(one["question"]), LOCOMO_KINDS[one["category"]], turns & set(evidence_of(one)))
        for one in sample["qa"]
    )
    return AskedStatements(
        sample["sample_id"],
        tuple(sorted(_statements(sample), key=lambda one: one.at_ns)),
        # What no turn answers says nothing of a ranking.
        tuple((text, kind, frozenset(gold)) for text, kind, gold in asked if gold),
    )


def _is_session(name: str) -> bool:
    return name.removeprefix("session_").isdigit()


def _statements(sample: Mapping[str, Any]) -> Iterator[Statement]:
    for name, said in sample["observation"].items():
        session = int(name.split("_")[1])
        began_s = date_seconds(sample["conversation"][f"session_{session}_date_time"])
        for subject, statements in said.items():
            for text, ids in statements:
                named = {"evidence": [ids] if isinstance(ids, str) else ids}
                turns = frozenset(evidence_of(named))
                first = min(int(turn.partition(":")[2]) for turn in turns)
                at_ns = (began_s + first * _TURN_S) * NANOSECONDS
                yield Statement(text, subject, session, turns, at_ns)
