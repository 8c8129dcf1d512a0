"""The weight that a memory has whatever is asked: how much it matters, how often, how lately."""

import math
from typing import Final

_DAY_NS: Final = 86_400 * 1_000_000_000
HALF_LIFE_NS: Final = 90 * _DAY_NS
"""After so many nanoseconds a memory that nobody speaks of weighs half."""

PINNED_FLOOR: Final = 0.7
"""What a pinned memory weighs at least."""

MOST_IMPORTANT: Final = 10
# Said often is worth twice as much as said once, at most: one half-life, so that a habit of long
# ago does not outweigh what is new for years.
_MOST_REINFORCED: Final = 2.0


def log_salience(*, importance: int, count: int, last_seen_ns: int) -> float:
    """Return the weight as a logarithm that stays the same while time goes on.

    `log2((1 + importance) / 11) + log2(2 - 1 / count) + last_seen_ns / HALF_LIFE_NS`. Every weight
    halves in the same time, so dividing all of them by what has passed changes no order: it is put
    off until somebody asks, and nothing stored is ever touched for age alone. This is forward decay
    with an exponential: Cormode, Shkapenyuk, Srivastava, Xu, Forward Decay, ICDE 2009,
    https://doi.org/10.1109/ICDE.2009.65. That a memory weighs by importance and recency is from
    Park et al., Generative Agents, 2023, https://arxiv.org/abs/2304.03442, who add the two; a
    product lets neither make up for the other.

    Args:
        importance: 0 to 10; the least weighs an eleventh of the most.
        count: different sources, 1 or more.
        last_seen_ns: Unix nanoseconds.
    """
    weight = (1 + importance) / (1 + MOST_IMPORTANT)
    reinforced = _MOST_REINFORCED - 1 / max(count, 1)
    return math.log2(weight) + math.log2(reinforced) + last_seen_ns / HALF_LIFE_NS


def salience(log_value: float, *, now_ns: int, pinned: bool) -> float:
    """Return the weight at a time, 0 to 1: 1 for what matters most and was said just now.

    Reinforced above that, or said by a clock that goes ahead, is 1 too.
    """
    weight = math.exp2(min(log_value - now_ns / HALF_LIFE_NS, 0.0))
    return max(weight, PINNED_FLOOR) if pinned else weight
