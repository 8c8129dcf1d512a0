"""How good a ranking is: what of the turns that answer a question it puts first.

Recall@k is LoCoMo's own: the share of the gold turns among the first k, by question; nDCG with
binary gains (Jarvelin and Kekalainen, 2002, https://doi.org/10.1145/582415.582418).
"""

from collections.abc import Iterable, Sequence
from math import log2
from statistics import fmean

DEPTH = 50
"""Beyond so many hits nothing counts."""

_CUTS = (1, 5, 8, 10)


def metrics(ranked: Iterable[int], gold: frozenset[int]) -> dict[str, float]:
    """Measure the ranking for one question, in percent.

    Args:
        ranked: turns, best first; one that comes again is passed over.
        gold: the turns that answer it, at least one.
    """
    hits = [turn in gold for turn in list(dict.fromkeys(ranked))[:DEPTH]]
    found = {f"R@{cut}": sum(hits[:cut]) / len(gold) for cut in _CUTS}
    gain = sum(_gain(rank) for rank, hit in enumerate(hits[:10]) if hit)
    found["hit@8"] = float(any(hits[:8]))
    found["MRR"] = 1 / (hits.index(True) + 1) if any(hits) else 0.0
    found["nDCG@10"] = gain / sum(map(_gain, range(min(len(gold), 10))))
    return {name: value * 100 for name, value in found.items()}


def mean_of(measured: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the means over questions."""
    return {name: fmean(one[name] for one in measured) for name in measured[0]}


def _gain(rank: int) -> float:
    return 1 / log2(rank + 2)
