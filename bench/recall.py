"""How well and how fast a recall finds the turns that answer a question, on public conversations.

Every conversation is appended to a directory store and every question asked by the product's own
recall. Beside it, over the same turns: the newest first; BM25 alone, of each turn by itself with
the whole question; and the plain cosine alone, of the question without names. "recall, cold" is the
first answer of a process with the index on disk, "cpu" ranking alone, in which nothing is embedded.
"""

import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

import numpy as np
from asked_talk import AskedTalk
from measuring import Row, option_parser, report, write_rows
from named_embedders import EMBEDDERS, TimedEmbedder, open_embedder, tell_unknown
from recall_curve import curve_rows, draw_curve
from recall_metrics import mean_of, metrics
from recall_sets import ADVERSARIAL, SETS, Question, Talk, data_folder, load_talks

from everturn.conversations.model.turn import Turn
from everturn.ports.embedder import Embedder
from everturn.recall.index.build_rows import make_rows

OVERALL, PRODUCT = "overall", "recall"
QUICK_TALKS, QUICK_QUESTIONS = 2, 20
CURVE_QUESTIONS = 100
COLD_ASKED = 5
# Below these a change of ranking has made it worse.
FLOORS: Mapping[tuple[str, str], Mapping[str, float]] = {
    ("locomo", "terms"): {"R@8": 75, "R@10": 77, "nDCG@10": 62},
    ("locomo", "vectors"): {"R@8": 78, "R@10": 80, "nDCG@10": 64},
    ("beam", "terms"): {"nDCG@10": 44},
    ("beam", "vectors"): {"nDCG@10": 50},
}


@dataclass(slots=True)
class Measured:
    """What one set gave: metrics by ranking and kind of question, and times of recall."""

    by_kind: dict[tuple[str, str], list[dict[str, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    turns: int = 0
    index_bytes: int = 0
    index_cpu_s: float = 0.0
    cold_ms: list[float] = field(default_factory=list)
    warm_ms: list[float] = field(default_factory=list)
    rank_cpu_ms: list[float] = field(default_factory=list)

    def note(self, ranking: str, question: Question, ranked: Iterable[int]) -> None:
        """Take down one ranking; what cannot be answered is no part of the whole."""
        measured = metrics(ranked, question.gold)
        self.by_kind[ranking, question.kind].append(measured)
        if question.kind != ADVERSARIAL:
            self.by_kind[ranking, OVERALL].append(measured)

    def mean(self, ranking: str, kind: str = OVERALL) -> dict[str, float]:
        """Return the mean over questions of a kind."""
        return mean_of(self.by_kind[ranking, kind])


def index_cpu_s(talk: Talk, dimensions: int) -> float:
    """Return the CPU seconds that rows of all turns take, without vectors."""
    turns = [
        Turn(at, draft.role, draft.text or "", draft.ts, draft.value(draft.ts))
        for at, draft in enumerate(talk.turns)
    ]
    began_s = time.process_time()
    make_rows(turns, dimensions)
    return time.process_time() - began_s


def measure(talks: Sequence[Talk], embedder: Embedder, *, dense: bool, most: int) -> Measured:
    """Ask the questions of some conversations, at most so many of each."""
    measured = Measured()
    for talk in talks:
        measured.index_cpu_s += index_cpu_s(talk, embedder.dimensions * embedder.semantic)
        with TemporaryDirectory() as folder:
            bench = AskedTalk(talk, embedder, Path(folder), dense=dense)
            measured.turns += len(talk.turns)
            measured.index_bytes += bench.recalling.index_bytes
            for question in talk.questions[:most]:
                for ranking, rows in bench.rankings(question.text):
                    measured.note(ranking, question, (talk.texts[row] for row in rows))
                hits = bench.recalled(question.text)
                measured.note(PRODUCT, question, (talk.texts[hit] for hit in hits))
                measured.warm_ms.append(bench.ask_ms(question.text))
                measured.rank_cpu_ms.append(bench.rank_cpu_ms(question.text))
            for question in talk.questions[: min(COLD_ASKED, most)]:
                bench.recalling.forget()
                measured.cold_ms.append(bench.ask_ms(question.text))
    return measured


def quality_rows(name: str, embedder: str, measured: Measured) -> list[Row]:
    """Return one row a ranking and kind of question; all questions first."""
    kinds = sorted({kind for _, kind in measured.by_kind}, key=lambda kind: (kind != OVERALL, kind))
    rankings = list(dict.fromkeys(ranking for ranking, _ in measured.by_kind))
    return [
        {
            "data": name, "embedder": embedder, "ranking": ranking, "questions": kind,
            "n": len(measured.by_kind[ranking, kind]), **measured.mean(ranking, kind),
        }
        for kind in kinds for ranking in rankings
    ]  # fmt: skip


def cost_row(name: str, embedder: str, measured: Measured, timed: TimedEmbedder) -> Row:
    """Return what recall cost on a set; milliseconds of an answer, CPU ms of ranking."""
    p95 = float(np.quantile(measured.warm_ms, 0.95))
    return {
        "data": name, "embedder": embedder, "turns": measured.turns,
        "cold ms": median(measured.cold_ms), "warm ms": median(measured.warm_ms),
        "warm p95 ms": p95, "cpu ms": fmean(measured.rank_cpu_ms),
        "embed ms a turn": timed.passages_s * 1e3 / max(timed.passages, 1),
        "index cpu ms a turn": measured.index_cpu_s * 1e3 / measured.turns,
        "index B a turn": measured.index_bytes / measured.turns,
    }  # fmt: skip


def below_floor(name: str, embedder: str, measured: Measured) -> list[str]:
    """Return what of the product's figures is too low, in words."""
    found = measured.mean(PRODUCT)
    return [
        f"{name}, {embedder}: {metric} is {found[metric]:.2f}, floor {floor}"
        for metric, floor in FLOORS[name, embedder].items()
        if found[metric] < floor
    ]


def run(asked: Namespace, folder: Path) -> tuple[list[Row], list[Row], list[str]]:
    """Measure every set with every embedder: quality, costs, and what is below its floor."""
    quality: list[Row] = []
    costs: list[Row] = []
    low: list[str] = []
    for name in asked.sets:
        talks = load_talks(name, folder)[: QUICK_TALKS if asked.quick else None]
        most = QUICK_QUESTIONS if asked.quick else sys.maxsize
        for embedder in asked.embedder:
            inner = open_embedder(embedder, name, folder, talks)
            timed = TimedEmbedder(inner)
            measured = measure(talks, timed, dense=embedder != "terms", most=most)
            cost = cost_row(name, embedder, measured, timed)
            rows = quality_rows(name, embedder, measured)
            quality += rows
            costs.append(cost)
            low += below_floor(name, embedder, measured) if asked.check else []
            tell_unknown(inner)
    return quality, costs, low


def report_curve(asked: Namespace, folder: Path) -> None:
    """Print what each `min_score` keeps of the right answers and cuts of the wrong ones."""
    rows: list[Row] = []
    best: list[str] = []
    pairs = QUICK_QUESTIONS if asked.quick else CURVE_QUESTIONS
    for name in asked.sets:
        talks = load_talks(name, folder)[: QUICK_TALKS if asked.quick else None]
        for embedder in asked.embedder:
            curve = draw_curve(talks, open_embedder(embedder, name, folder, talks), pairs)
            rows += curve_rows(name, embedder, curve)
            right, wrong = curve.shares(curve.best)
            best.append(f"{name}, {embedder}: {curve.best:.2f} ({right:.0f}, {wrong:.0f})")
    report("percent of right hits kept, of wrong answers empty", rows, asked.json)
    print("best min_score", *best, sep="\n")


def options() -> Namespace:
    """Read what is asked for."""
    parser = option_parser(__doc__ or "")
    parser.add_argument("--data", choices=[*SETS, "all"], default="all")
    parser.add_argument("--embedder", nargs="+", choices=EMBEDDERS, default=["terms"])
    parser.add_argument("--check", action="store_true", help="exit 1 where it is below its floor")
    parser.add_argument("--curve", action="store_true", help="right and wrong conversations alone")
    asked = parser.parse_args()
    asked.sets = list(SETS) if asked.data == "all" else [asked.data]
    pairs = {(name, embedder) for name in asked.sets for embedder in asked.embedder}
    if asked.check and (asked.quick or not pairs <= FLOORS.keys()):
        parser.error("there are floors for terms and vectors, and for all questions only")
    return asked


def main() -> None:
    """Run it."""
    asked, folder = options(), data_folder()
    if asked.curve:
        report_curve(asked, folder)
        return
    quality, costs, low = run(asked, folder)
    report("recall by questions of public conversations, in percent", quality, None)
    report("what recall cost", costs, None)
    if asked.json:
        of_run = {(row["data"], row["embedder"]): row for row in costs}
        rows = [{**row, **of_run[row["data"], row["embedder"]]} for row in quality]
        write_rows(rows, asked.json)
    if low:
        sys.exit("\n".join(low))


if __name__ == "__main__":
    main()
