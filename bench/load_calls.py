"""Calls that are repeated as the README says, and what became of each.

Statuses and milliseconds.
"""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx

from everturn.adapters.system_clock import SeededEntropy

# What is asked for again, with the same key; API Gateway's own answers are among them.
AGAIN = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
# A request ends within 20 s, and may have waited for those of others.
ANSWER_TIMEOUT_S = 30.0
# Then a caller gives up.
PATIENCE_S = 60.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


@dataclass(slots=True)
class Operation:
    """What became of the calls of one kind; times are those of whole calls, pauses included."""

    times_ms: list[float] = field(default_factory=list)
    requests: int = 0
    gave_up: int = 0
    errors: Counter[str] = field(default_factory=Counter)


Operations = dict[str, Operation]
"""By the name of the operation."""


class Calls:
    """One client of a server; what becomes of its calls is counted with those of others."""

    def __init__(self, client: httpx.AsyncClient, operations: Operations) -> None:
        self._client = client
        self._chance = SeededEntropy("pauses")
        self._operations = operations

    async def call(
        self,
        operation: str,
        method: str,
        path: str,
        *,
        first_timeout_s: float = ANSWER_TIMEOUT_S,
        **asked: Any,
    ) -> httpx.Response | None:
        """Ask until it is answered for good; None after an error, or when patience ends.

        Args:
            operation: what it is counted as.
            method: of HTTP.
            path: with its query.
            first_timeout_s: how long the first answer is waited for.
            **asked: what httpx takes for a request, the same each time.
        """
        kept = self._operations.setdefault(operation, Operation())
        began_s, pause_s = time.perf_counter(), _FIRST_PAUSE_S
        timeout_s = first_timeout_s
        while True:
            answer = await self._try(kept, method, path, {**asked, "timeout": _waiting(timeout_s)})
            waited_s = time.perf_counter() - began_s
            if answer is not None and answer.is_success:
                kept.times_ms.append(waited_s * 1e3)
                return answer
            final = answer is not None and answer.status_code not in AGAIN
            if final or waited_s > PATIENCE_S:
                kept.gave_up += 1
                return None
            await asyncio.sleep(pause_s * (0.5 + self._chance.share() / 2))
            pause_s, timeout_s = min(2 * pause_s, _LONGEST_PAUSE_S), ANSWER_TIMEOUT_S

    async def _try(
        self, kept: Operation, method: str, path: str, asked: dict[str, Any]
    ) -> httpx.Response | None:
        kept.requests += 1
        try:
            answer = await self._client.request(method, path, **asked)
        except httpx.TransportError as error:
            kept.errors[type(error).__name__] += 1
            return None
        if not answer.is_success:
            kept.errors[str(answer.status_code)] += 1
        return answer


def unexpected(operations: Operations) -> Counter[str]:
    """Count the answers that nobody should get: all errors but those that are asked for again."""
    told = sum((kept.errors for kept in operations.values()), Counter[str]())
    expected = {str(int(status)) for status in AGAIN}
    return Counter({k: n for k, n in told.items() if k.isdigit() and k not in expected})


def _waiting(answer_s: float) -> httpx.Timeout:
    """Wait so long for an answer, and long enough for a connection."""
    return httpx.Timeout(ANSWER_TIMEOUT_S, read=answer_s)
