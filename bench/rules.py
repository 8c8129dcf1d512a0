"""What the rules extract from public conversations: how much of each kind, and what, by lot.

Nobody wrote down what is right: a hundred statements are drawn by a seed and printed with their
turns, for a reader to judge. In LoCoMo two people talk; each of them is the user in his turn. In
BEAM the user talks to an assistant.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from measuring import Row, option_parser, report
from recall_sets import SETS, Talk, data_folder, load_talks

from everturn.conversations.model.turn import Turn
from everturn.extraction.answers.findings import Extracted
from everturn.extraction.rules.extract_by_rules import extract_by_rules

ALL = "all"
QUICK_TALKS = 2
WINDOW_TURNS = 50


@dataclass(frozen=True, slots=True)
class Drawn:
    """A statement, the set and the conversation that it is from, and who was the user."""

    data: str
    talk: str
    user: str
    found: Extracted

    def lines(self) -> str:
        """Return it for a reader: what is remembered, of which words."""
        draft, turn = self.found.draft, self.found.first_turn
        head = f"{self.data} {self.talk} {self.user} turn {turn} [{draft.kind}, {self.found.rule}]"
        return f"{head}\n    {draft.statement}\n    <- {self.found.quote!r}"


@dataclass(slots=True)
class Read:
    """What was read of a set."""

    turns: int = 0
    seconds: float = 0.0
    windows: int = 0


def users_of(data: str, talk: Talk) -> list[str]:
    """Return who may be the user of a conversation."""
    return sorted({turn.role for turn in talk.turns}) if data == "locomo" else ["user"]


def turns_as(talk: Talk, user: str) -> list[Turn]:
    """Return the turns of a conversation in which one speaker is the user."""
    return [
        Turn(at, "user" if draft.role == user else "assistant", draft.text or "", draft.ts, {})
        for at, draft in enumerate(talk.turns)
    ]


def extract(data: str, talk: Talk, read: Read) -> Iterator[Drawn]:
    """Yield what the rules extract from a conversation, window by window."""
    for user in users_of(data, talk):
        turns = turns_as(talk, user)
        read.turns += sum(turn.role == "user" for turn in turns)
        for begin in range(0, len(turns), WINDOW_TURNS):
            window = turns[begin : begin + WINDOW_TURNS]
            began_s = time.process_time()
            found = extract_by_rules(window)
            read.seconds += time.process_time() - began_s
            read.windows += 1
            for one in found:
                assert one.quote in turns[one.first_turn].text
                yield Drawn(data, talk.id, user, one)


def rows_of(data: str, found: list[Drawn], read: Read) -> list[Row]:
    """Return one row a rule, and one for all."""
    counts = Counter((one.found.draft.kind, one.found.rule) for one in found)
    rows = [(kind, rule, count) for (kind, rule), count in sorted(counts.items())]
    return [
        {
            "data": data, "kind": kind, "rule": rule, "statements": count,
            "as said": sum(_is_as_said(one) for one in found if rule in {one.found.rule, ALL}),
            "turns of users": read.turns, "ms a window": 1e3 * read.seconds / read.windows,
        }
        for kind, rule, count in [(ALL, ALL, len(found)), *rows]
    ]  # fmt: skip


def _is_as_said(one: Drawn) -> bool:
    return str(one.found.draft.statement).startswith(("The user said:", "The user asks:"))


def main() -> None:
    """Extract, count, draw."""
    parser = option_parser(str(__doc__).partition("\n")[0], drawn=100, seed=1)
    asked, folder = parser.parse_args(), data_folder()
    rows: list[Row] = []
    found: list[Drawn] = []
    for data in SETS:
        read = Read()
        talks = load_talks(data, folder)[: QUICK_TALKS if asked.quick else None]
        of_set = [one for talk in talks for one in extract(data, talk, read)]
        rows += rows_of(data, of_set, read)
        found += of_set
    report("what rules extract from public conversations", rows, asked.json)
    by_lot = random.Random(asked.seed)  # noqa: S311 - a draw, no secret
    drawn = by_lot.sample(found, min(asked.drawn, len(found)))
    for number, one in enumerate(drawn, 1):
        print(f"{number:3} {one.lines()}")


if __name__ == "__main__":
    main()
