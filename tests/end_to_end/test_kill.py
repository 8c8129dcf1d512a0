"""Server processes are killed in the middle of keyed appends; the clients try again until heard."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from end_to_end.killed_server import Aim, Server
from everturn.adapters.system_clock import SeededEntropy, SystemClock

CLIENTS, CONVERSATIONS, APPENDS = 8, 4, 1_000
WORKER_KILLS = 9
# A retry follows at once, so that few others come before it: a key lives for 60 appends.
RETRY_PAUSE_S, PATIENCE_S = 0.05, 60.0
CLOCK = SystemClock()


@dataclass(frozen=True, slots=True)
class Append:
    """One keyed request."""

    client: int
    number: int
    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        return f"{self.client}.{self.number}"

    @property
    def conversation(self) -> str:
        # Every client writes to every conversation: on each of them all of them meet.
        return f"c{(self.client + self.number) % CONVERSATIONS}"


@dataclass(slots=True)
class Ledger:
    """What was acknowledged, and how often a client had to ask again."""

    acknowledged: list[tuple[Append, dict[str, Any]]] = field(default_factory=list)
    unheard: list[Append] = field(default_factory=list)


def appends_of(client: int) -> Iterator[Append]:
    chance = SeededEntropy(f"client {client}")
    for number in range(APPENDS // CLIENTS):
        texts = [
            f"{client}.{number}.{place} " + "word " * (200 + int(chance.share() * 200))
            for place in range(1 + int(chance.share() * 3))
        ]
        yield Append(client, number, tuple(texts))


def send(http: httpx.Client, server: Server, append: Append) -> dict[str, Any] | None:
    """Ask once; None if no answer came, or one that says to try again."""
    body = {"turns": [{"role": "user", "text": text} for text in append.texts]}
    path = f"/v1/conversations/{append.conversation}/turns"
    headers = {"Idempotency-Key": append.key}
    try:
        answer = http.post(f"{server.url}{path}", json=body, headers=headers)
    except httpx.TransportError:
        return None
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return None
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def run_client(server: Server, client: int, ledger: Ledger) -> None:
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
        for append in appends_of(client):
            give_up_s = CLOCK.monotonic_s() + PATIENCE_S
            while (answer := send(http, server, append)) is None:
                ledger.unheard.append(append)
                assert CLOCK.monotonic_s() < give_up_s, f"nobody answers key={append.key}"
                CLOCK.sleep(RETRY_PAUSE_S)
            ledger.acknowledged.append((append, answer))


def kill_at_moments(server: Server, ledger: Ledger, done: threading.Event) -> None:
    """Kill at seeded counts of acknowledged appends."""
    chance = SeededEntropy("kills")
    restarts = {4: server.kill_group, 8: server.kill_supervisor}
    kills = WORKER_KILLS + len(restarts)
    moments = sorted(50 + int(chance.share() * (APPENDS - 100)) for _ in range(kills))
    for number, moment in enumerate(moments):
        while len(ledger.acknowledged) < moment:
            if done.wait(0.002):
                return
        if number in restarts:
            restarts[number]()
            server.start()
        else:
            server.kill_worker(chance, list(Aim)[number % len(Aim)])


@contextmanager
def killed_now_and_then(server: Server, ledger: Ledger) -> Iterator[None]:
    done = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        kills = pool.submit(kill_at_moments, server, ledger, done)
        try:
            yield
        finally:
            done.set()
        kills.result()


def read_all(url: str, conversation: str) -> list[str]:
    """Read every turn, page by page; each stands at its own number."""
    texts: list[str] = []
    start: int | None = 0
    while start is not None:
        query = {"from": start, "limit": 1_000}
        answer = httpx.get(f"{url}/v1/conversations/{conversation}/turns", params=query, timeout=60)
        page = answer.raise_for_status().json()
        for turn in page["turns"]:
            assert turn["index"] == len(texts)
            texts.append(turn["text"])
        start = page.get("next")
    assert page["turn_count"] == len(texts)
    return texts


def check_conversation(server: Server, conversation: str, ledger: Ledger) -> None:
    """All that was acknowledged is there once, together, and in the order of each client."""
    texts = read_all(server.url, conversation)
    mine = [(a, answer) for a, answer in ledger.acknowledged if a.conversation == conversation]
    assert Counter(texts) == Counter(text for append, _ in mine for text in append.texts)
    assert max(Counter(texts).values()) == 1
    for append, answer in mine:
        first = answer["first_turn"]
        assert tuple(texts[first : first + len(append.texts)]) == append.texts
    for client in range(CLIENTS):
        firsts = [answer["first_turn"] for append, answer in mine if append.client == client]
        assert firsts == sorted(firsts)


def check_newest_key(server: Server, conversation: str, ledger: Ledger) -> None:
    """A fresh process still knows the newest append by its key."""
    mine = [item for item in ledger.acknowledged if item[0].conversation == conversation]
    newest, answer = max(mine, key=lambda item: int(item[1]["first_turn"]))
    with httpx.Client(trust_env=False, timeout=PATIENCE_S) as http:
        assert send(http, server, newest) == {**answer, "replayed": True}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc")
def test_what_was_acknowledged_survives_kill_9_and_retries_double_nothing(tmp_path: Path) -> None:
    server, ledger = Server(tmp_path / "data"), Ledger()
    server.start()
    try:
        with killed_now_and_then(server, ledger), ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(lambda client: run_client(server, client, ledger), range(CLIENTS)))
        server.end()
        server.start()
        names = [f"c{number}" for number in range(CONVERSATIONS)]
        for name in names:
            check_conversation(server, name, ledger)
        for name in names:
            check_newest_key(server, name, ledger)
        listed = httpx.get(f"{server.url}/v1/conversations", timeout=60).json()
    finally:
        server.kill_group()
    assert len(ledger.acknowledged) == APPENDS
    assert len(ledger.unheard) > WORKER_KILLS
    assert "a worker died, starting another" in server.errors.read_text()
    # It was about sealing, too: each head has let go of turns, into one segment that grew or more.
    heads = [json.loads((server.directory / f"{name}.json").read_text()) for name in names]
    assert all(head["sealed"]["turns"] > len(head["turns"]) for head in heads)
    # Whatever the killed ones left, nothing else looks like a conversation.
    assert sorted(row["conversation_id"] for row in listed["conversations"]) == names
    assert listed["skipped"] == 0
    assert sorted(path.stem for path in server.directory.glob("*.json")) == names
