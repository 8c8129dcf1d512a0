"""How often a recall over all conversations finds what a user said, by language.

Each story of `data/talks/*.jsonl` is one user. Its sessions up to a question are conversations in a
directory store, and the product's own `recall_across` answers. Counted are questions with a gold
turn: the share of their gold turns among the first five hits, without a model. Beside it stands
BM25 (k1 1.2, b .75) over words and pairs of characters, of every turn the user and the assistant
said. The data is looked for as `recall_sets.py` says.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import log1p
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Final

from measuring import Row, option_parser, report
from recall_sets import data_folder
from recalling import SCOPE, Recalling

from everturn.adapters.hash_embedder import HashEmbedder
from everturn.adapters.system_clock import SystemClock
from everturn.conversations.model.turn import TurnDraft
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.recall_request import MAX_BUDGET_TOKENS, RecallRequest
from everturn.recall.recall_turns import recall_across

FIRST: Final = 5
QUICK_STORIES: Final = 2
PRODUCT, BASELINE = "recall", "BM25"
_K1, _B = 1.2, 0.75
_WORD: Final = re.compile(r"[\w\u0300-\u036f\u0900-\u0dff\u0e00-\u0e7f]+")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")

Story = Mapping[str, Any]
Place = tuple[str, int]
"""The id of a session, and the number of a turn in it."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a story."""

    place: Place
    draft: TurnDraft


def stories(folder: Path) -> Iterator[Story]:
    """Yield the stories, file by file."""
    for path in sorted((folder / "talks").glob("*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def said_in(session: Mapping[str, Any]) -> list[Said]:
    """Return the turns of a session, a minute apart."""
    start = datetime.fromisoformat(session["start"])
    return [
        Said(
            (session["id"], number),
            TurnDraft(
                turn["role"], turn["text"], ts=(start + timedelta(minutes=number)).isoformat()
            ),
        )
        for number, turn in enumerate(session["turns"])
    ]


def found_share(hits: Sequence[Place], gold: Sequence[Place]) -> float:
    """Return the percentage of the gold turns among the first hits."""
    return 100 * len(set(hits[:FIRST]) & set(gold)) / len(set(gold))


def bm25(turns: Sequence[Said], query: str) -> list[Place]:
    """Rank turns by BM25 over words and pairs, best first, the newest of equals first."""
    bags = [Counter(_tokens(said.draft.text or "")) for said in turns]
    lengths = [sum(bag.values()) for bag in bags]
    mean = fmean(lengths) or 1
    having = Counter(token for bag in bags for token in bag)
    asked = set(_tokens(query))

    def score(bag: Counter[str], length: int) -> float:
        norm = _K1 * (1 - _B + _B * length / mean)
        return sum(
            log1p((len(bags) - having[token] + 0.5) / (having[token] + 0.5))
            * bag[token] * (_K1 + 1) / (bag[token] + norm)
            for token in asked if token in bag
        )  # fmt: skip

    scores = [score(bag, length) for bag, length in zip(bags, lengths, strict=True)]
    order = sorted(range(len(turns)), key=lambda at: (-scores[at], -at))
    return [turns[at].place for at in order if scores[at] > 0]


def _tokens(text: str) -> list[str]:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = []
    for word in words:
        runs = _UNSPACED.findall(word)
        found += [a + b for run in runs for a, b in pairwise(run)] or [word]
        found += [run for run in runs if len(run) == 1]
    return found


class ToldStory:
    """The conversations of a story, appended as far as a question has heard."""

    def __init__(self, story: Story, folder: Path) -> None:
        """Open a store; nothing is appended yet."""
        self._sessions = story["sessions"]
        choice = EmbedderChoice(HashEmbedder(), "bench", "asked for")
        self._recalling = Recalling(folder, "", choice)
        self.turns: list[Said] = []
        self._heard = 0

    def hear(self, until: str) -> None:
        """Append the sessions that began before a moment."""
        heard = sum(session["start"] <= until for session in self._sessions)
        for session in self._sessions[self._heard : heard]:
            said = said_in(session)
            self._recalling.conversation_id = session["id"]
            self._recalling.append([one.draft for one in said])
            self.turns += said
        self._heard = max(heard, self._heard)

    def recalled(self, query: str) -> list[Place]:
        """Ask the product; return the places of the hits, best first."""
        store = self._recalling.store
        found = recall_across(
            data=store, derived=store, scope=SCOPE, clock=SystemClock(),
            embedder=self._recalling.choice, indexes=self._recalling.indexes,
            request=RecallRequest(query, top_k=FIRST, budget_tokens=MAX_BUDGET_TOKENS),
        )  # fmt: skip
        return [(hit.conversation_id, hit.turn.index) for hit in found.hits]


def measure(told: Sequence[Story]) -> list[Row]:
    """Ask every question that has a gold turn; return a row a language, sums first."""
    shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for story in told:
        with TemporaryDirectory() as folder:
            talk = ToldStory(story, Path(folder))
            for question in sorted(story["questions"], key=lambda one: one["at"]):
                if not question.get("gold"):
                    continue
                talk.hear(question["at"])
                gold = [(session, number) for session, number in question["gold"]]
                language = story["lang"]
                for group in (language, "english" if language == "en" else "others"):
                    rankings = shares[group]
                    rankings[PRODUCT].append(found_share(talk.recalled(question["query"]), gold))
                    rankings[BASELINE].append(
                        found_share(bm25(talk.turns, question["query"]), gold)
                    )
    groups = sorted(shares, key=lambda group: (group not in {"english", "others"}, group))
    return [
        {"language": group, "n": len(shares[group][PRODUCT]),
         **{name: fmean(shares[group][name]) for name in (PRODUCT, BASELINE)}}
        for group in groups
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = option_parser((__doc__ or "").partition("\n")[0])
    asked = parser.parse_args()
    told = list(stories(data_folder()))
    rows = measure(told[:QUICK_STORIES] if asked.quick else told)
    report("gold turns among the first five hits, percent, no model", rows, asked.json)


if __name__ == "__main__":
    main()
