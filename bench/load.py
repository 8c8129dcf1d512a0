"""Many agents at once on `everturn up`: how long each kind of call takes, and what became of turns.

Each agent asks again after 503, 429 and no answer, with the same key, and hangs up on every tenth
of its appends (ReadTimeout). Then all turns are read back: it fails where one that was acknowledged
is not there exactly once, in its place, or where an answer is an error that nobody should get.
"""

import asyncio
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from leftovers import leaving_nothing
from load_agents import Work, work_at_once
from load_calls import Operation, unexpected
from load_check import Verdict, judge
from load_readback import read_back, turns_unread
from load_servers import on_directory, on_seaweed
from measuring import Row, option_parser, report

STORES: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "directory": on_directory,
    "seaweedfs": on_seaweed,
}
# As many texts of a kind of fault are shown; they are made up by this bench.
_SHOWN = 5


def rows_of(store: str, work: Work, verdict: Verdict) -> list[Row]:
    """Make a row of each operation; what was lost or doubled stands with the appends."""
    return [
        {
            "store": store, "operation": name, "calls": len(kept.times_ms),
            "p50 ms": _quantile(kept.times_ms, 0.5), "p99 ms": _quantile(kept.times_ms, 0.99),
            "calls per s": len(kept.times_ms) / work.seconds,
            "requests": kept.requests, "errors": _told(kept), "gave up": kept.gave_up,
            "lost": len(verdict.lost) if name == "append" else 0,
            "doubled": len(verdict.doubled) if name == "append" else 0,
        }
        for name, kept in sorted(work.operations.items())
    ]  # fmt: skip


def _quantile(times_ms: list[float], share: float) -> float:
    return sorted(times_ms)[max(0, ceil(share * len(times_ms)) - 1)] if times_ms else 0.0


def _told(kept: Operation) -> str:
    return ", ".join(f"{kind} x{n}" for kind, n in sorted(kept.errors.items())) or "-"


def faults_of(work: Work, verdict: Verdict) -> list[str]:
    """Say in a line each what is wrong."""
    kinds: dict[str, Sequence[str]] = {
        "lost": verdict.lost, "doubled": verdict.doubled, "moved": verdict.moved,
        "out of order": verdict.disordered, "never said": verdict.strange,
    }  # fmt: skip
    found = [
        f"{kind} turns: {len(texts)}, such as {'; '.join(texts[:_SHOWN])}"
        for kind, texts in kinds.items()
        if texts
    ]
    found += [f"answers {kind}: {n}" for kind, n in sorted(unexpected(work.operations).items())]
    given_up = {name: kept.gave_up for name, kept in sorted(work.operations.items())}
    found += [f"given up {name}: {n}" for name, n in given_up.items() if n]
    return found if any(one.place is not None for one in work.said) else [*found, "no turn is kept"]


async def _load(url: str, *, agents: int, seconds: int) -> tuple[Work, Verdict, int]:
    work = await work_at_once(url, agents=agents, seconds=seconds)
    actors = {one.thread.actor for one in work.said}
    unread = await turns_unread(url, actors)
    return work, judge(work.said, await read_back(url, actors)), unread


def measure(store: str, *, agents: int, seconds: int) -> tuple[list[Row], list[str]]:
    """Run it on a fresh store; return its rows, and what is wrong."""
    with TemporaryDirectory(prefix="everturn-load-") as folder, STORES[store](Path(folder)) as url:
        work, verdict, unread = asyncio.run(_load(url, agents=agents, seconds=seconds))
    threads = Counter(one.thread for one in work.said)
    print(
        f"{store}: {len(work.said)} turns in {len(threads)} conversations, the longest has"
        f" {max(threads.values())}; {work.replays} asked for again were there already;"
        f" {unread} not consolidated yet"
    )
    return rows_of(store, work, verdict), [f"{store}: {f}" for f in faults_of(work, verdict)]


def _parser() -> ArgumentParser:
    parser = option_parser(__doc__ or "", seconds=60, agents=50)
    parser.add_argument("--store", choices=STORES, action="append", help="all if not given")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = _parser().parse_args(arguments)
    agents, seconds = (5, 2) if asked.quick else (asked.agents, asked.seconds)
    rows, faults = list[Row](), list[str]()
    for store in asked.store or STORES:
        found = measure(store, agents=agents, seconds=seconds)
        rows += found[0]
        faults += found[1]
    report(f"{agents} agents for {seconds} s, two server processes", rows, asked.json)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    leaving_nothing(main)
