"""Agents at work at once.

Each appends, resumes, lists, recalls and retrieves, one after the other.
"""

import asyncio
import ssl
import time
from bisect import bisect
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import httpx
from load_calls import ANSWER_TIMEOUT_S, Calls, Operations
from load_check import Said, Thread

from everturn.adapters.system_clock import SeededEntropy
from everturn.edge.identity import ACTOR_HEADER, TENANT_HEADER

TENANT = "load"
# Reading them takes 20 ms; each client would, though loopback needs none.
_CERTIFICATES: Final = ssl.create_default_context()
# Of one user, so that lists, memories and one conversation are shared.
AGENTS_PER_USER = 5
# Of each agent alone; every third append goes to the one that all agents of the user share.
OWN_THREADS, SHARED_EVERY = 3, 3
# Every so many appends its agent hangs up before the answer, and asks again: the turn is there by
# then, or on its way, or not.
HANGS_UP_EVERY, HANGS_UP_S = 10, 0.02
# A share of the calls each: an agent says more than it asks for.
MIX: Final = {"append": 8, "recent": 4, "list": 2, "recall": 3, "retrieve": 3}
_UNTIL = list(accumulate(MIX.values()))
# Rules make memories of some, so that the worker has something to write, too.
_SENTENCES = (
    "Which gate does the flight to Lisbon leave from on Friday morning?",
    "The order was shipped on Monday, and the invoice follows by mail.",
    "Remember that the gate is B{number}.",
    "Please compare the two offers and say which one is cheaper over a year.",
    "I prefer answers of at most {number} sentences.",
    "The build fails on the second machine alone, its clock is an hour behind.",
)
_QUERIES = ("which gate", "order and invoice", "cheaper offer", "why does the build fail")


@dataclass(frozen=True, slots=True)
class Work:
    """What agents did: their calls, and all turns they appended."""

    operations: Operations
    said: list[Said]
    seconds: float
    replays: int = 0
    """Appends that were answered as done before."""


class Agent:
    """One agent of a user."""

    def __init__(self, number: int, calls: Calls, said: list[Said]) -> None:
        self.actor = f"user-{number // AGENTS_PER_USER}"
        self._number = number
        self._calls, self._said = calls, said
        self._chance = SeededEntropy(f"agent {number}")
        self._appended = 0
        self.replays = 0
        self._known: list[Thread] = []

    async def work(self, until_s: float) -> None:
        """Do one thing after the other until then."""
        while time.perf_counter() < until_s:
            drawn = bisect(_UNTIL, int(self._chance.share() * _UNTIL[-1]))
            operation = list(MIX)[drawn] if self._known else "append"
            await self._do(operation)

    async def _do(self, operation: str) -> None:
        if operation == "append":
            await self._append()
        elif operation == "recent":
            await self._get(operation, f"{self._path(self._some_known())}/turns?last=16")
        elif operation == "list":
            await self._get(operation, "/v1/conversations?limit=50")
        elif operation == "recall":
            await self._ask(operation, f"{self._path(self._some_known())}/recall")
        else:
            await self._ask(operation, "/v1/memories/retrieve")

    async def _append(self) -> None:
        thread, number = self._thread(), self._appended
        self._appended += 1
        sentence = _SENTENCES[number % len(_SENTENCES)].format(number=number % 40)
        text = f"[{self._number}.{number}] {sentence}"
        headers = {**self._headers, "Idempotency-Key": f"{self._number}.{number}"}
        turns = {"turns": [{"role": "user", "text": text}]}
        path = f"{self._path(thread)}/turns"
        answer = await self._calls.call(
            "append", "POST", path, json=turns, headers=headers,
            first_timeout_s=ANSWER_TIMEOUT_S if number % HANGS_UP_EVERY else HANGS_UP_S,
        )  # fmt: skip
        told = {} if answer is None else answer.json()
        place: int | None = told.get("first_turn")
        self.replays += bool(told.get("replayed"))
        self._said.append(Said(thread, self._number, text, place))
        if place is not None and thread not in self._known:
            self._known.append(thread)

    async def _get(self, operation: str, path: str) -> None:
        await self._calls.call(operation, "GET", path, headers=self._headers)

    async def _ask(self, operation: str, path: str) -> None:
        query = {"query": _QUERIES[int(self._chance.share() * len(_QUERIES))]}
        await self._calls.call(operation, "POST", path, json=query, headers=self._headers)

    def _thread(self) -> Thread:
        if self._appended % SHARED_EVERY == 0:
            return Thread(self.actor, "shared")
        own = int(self._chance.share() * OWN_THREADS)
        return Thread(self.actor, f"own-{self._number}-{own}")

    def _some_known(self) -> Thread:
        return self._known[int(self._chance.share() * len(self._known))]

    @staticmethod
    def _path(thread: Thread) -> str:
        return f"/v1/conversations/{thread.conversation_id}"

    @property
    def _headers(self) -> dict[str, str]:
        return headers_of(self.actor)


def headers_of(actor: str) -> dict[str, str]:
    """Return what names the user that is acted for."""
    return {TENANT_HEADER: TENANT, ACTOR_HEADER: actor}


def client_of(url: str) -> httpx.AsyncClient:
    """Return a client of a server on loopback."""
    return httpx.AsyncClient(
        base_url=url, timeout=ANSWER_TIMEOUT_S, trust_env=False, verify=_CERTIFICATES
    )


async def work_at_once(url: str, *, agents: int, seconds: int) -> Work:
    """Let so many agents work for so long; each ends what it has begun."""
    operations: Operations = {}
    said: list[Said] = []
    async with AsyncExitStack() as clients:
        # One each, as agents have: httpx looks through all connections of a client for each call.
        calls = [
            Calls(await clients.enter_async_context(client_of(url)), operations)
            for _ in range(agents)
        ]
        crowd = [Agent(number, own, said) for number, own in enumerate(calls)]
        began_s = time.perf_counter()
        await asyncio.gather(*(agent.work(began_s + seconds) for agent in crowd))
        seconds_taken = time.perf_counter() - began_s
    return Work(operations, said, seconds_taken, sum(agent.replays for agent in crowd))
