"""Runs the steps of a shared case on our routes."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx

from cases.at_once import at_once
from cases.case import Case
from cases.words import in_our_words, turn_of
from cases.worker import SETTLE_S, Worker
from everturn.adapters.system_clock import ManualClock
from everturn.edge.requests import MAX_TURNS
from everturn.values.keys import Scope
from everturn.values.timestamps import format_time, parse_time
from fakes.planned_embedder import PlannedEmbedder
from functions.house import CONVERSATIONS, House, Json

TENANT: Final = "cases"
_BATCH_BYTES: Final = 2_000_000
_FIRST_NS: Final = 1_767_225_600_000_000_000
_PAUSE_S: Final = 1
_LOOK: Final = 5
# Longer than a queue that did not answer is left alone.
_OUTAGE_S: Final = 10


@dataclass(slots=True)
class Run:
    """A case under way: what each step answered, in order of the steps."""

    house: House
    directory: Path | None
    embedder: PlannedEmbedder
    user: str = "user-a"
    answers: list[list[httpx.Response]] = field(default_factory=list)
    steps: list[Case] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    """Requests to the stores, step by step."""
    sent: dict[str, list[Json]] = field(default_factory=dict)
    """Messages of the appends that were acknowledged, by user and conversation."""
    kill: int = 0
    """The number of the invocation whose answer never arrives."""
    worker: Worker | None = None
    """Who works on jobs, where a case says when."""

    def run(self, given: Case) -> None:
        """Do every step."""
        self.user = given.get("as", self.user)
        for step in given["steps"]:
            before = len(self.house.data.calls) + len(self.house.parts.derived.calls)
            self.steps.append(step)
            self.answers.append(self._do(step))
            after = len(self.house.data.calls) + len(self.house.parts.derived.calls)
            self.calls.append(after - before)

    def again(self, step: Case) -> list[httpx.Response]:
        """Do a step once more, in a process that has just started."""
        self.house.parts.forget()
        return self._do(step)

    def as_user(self, name: str | None = None) -> House:
        """The house as a signed-in user sees it."""
        return self.house.acting_as(name or self.user, TENANT)

    def _do(self, step: Case) -> list[httpx.Response]:
        if "parallel_group" in step:
            return at_once(self._do, step["parallel_group"])
        if "parallel" in step:
            texts = [json.dumps(step).replace("{i}", str(i)) for i in range(step["parallel"])]
            alone = [{**json.loads(text), "parallel": None} for text in texts]
            return at_once(self._one, alone)
        return self._one(step)

    def _one(self, step: Case) -> list[httpx.Response]:
        verb = step.get("do") or next(iter(step))
        answered: list[httpx.Response] = getattr(self, f"_{verb}")(step)
        return answered

    def _append(self, step: Case) -> list[httpx.Response]:
        messages = step["messages"]
        response = self.as_user(step.get("as")).append_turns(
            step["conversation_id"],
            [turn_of(message) for message in messages],
            key=step.get("idempotency_key"),
            **step.get("body_extra", {}),
        )
        if self.kill:
            self.kill -= 1
            self.house.parts.forget()
            return [httpx.Response(502)]
        if response.is_success:
            owner = f"{step.get('as', self.user)} {step['conversation_id']}"
            self.sent.setdefault(owner, []).extend(messages)
        return [response]

    def _get(self, step: Case) -> list[httpx.Response]:
        return [self.as_user(step.get("as")).send("GET", step["conversation_id"])]

    def _recent(self, step: Case) -> list[httpx.Response]:
        limit = step.get("limit")
        params = {} if limit is None else {"last": limit}
        house = self.as_user(step.get("as"))
        return [house.send("GET", step["conversation_id"], "/turns", params=params)]

    def _list(self, step: Case) -> list[httpx.Response]:
        params: Json = {name: step[name] for name in ("limit", "cursor") if name in step}
        if params.get("cursor") == "$cursor_of_user_b":
            params["cursor"] = self._cursor_of("user-b")
        params |= step.get("query_extra", {})
        return [self.as_user(step.get("as")).client.get(CONVERSATIONS, params=params)]

    def _cursor_of(self, name: str) -> str:
        other = self.as_user(name)
        for id_ in ("theirs-1", "theirs-2"):
            other.append(id_, "theirs")
        self.as_user().append("mine", "mine")
        cursor: str = other.read(CONVERSATIONS, limit=1)["next_cursor"]
        return cursor

    def _list_all_pages(self, step: Case) -> list[httpx.Response]:
        params = {"limit": step["limit"]}
        pages: list[httpx.Response] = []
        while not pages or "next_cursor" in pages[-1].json():
            cursor = {"cursor": pages[-1].json()["next_cursor"]} if pages else {}
            house = self.as_user(step.get("as"))
            pages.append(house.client.get(CONVERSATIONS, params=params | cursor))
        return pages

    def _patch(self, step: Case) -> list[httpx.Response]:
        house = self.as_user(step.get("as"))
        return [house.send("PATCH", step["conversation_id"], json=step["body"])]

    def _delete(self, step: Case) -> list[httpx.Response]:
        return [self.as_user(step.get("as")).send("DELETE", step["conversation_id"])]

    def _delete_all(self, step: Case) -> list[httpx.Response]:
        return [self.as_user(step.get("as")).client.delete("/v1/me")]

    def _recall(self, step: Case) -> list[httpx.Response]:
        asked = {"query": step["query"]} | ({"top_k": step["k"]} if "k" in step else {})
        house = self.as_user(step.get("as"))
        if "conversation_id" in step:
            return [house.send("POST", step["conversation_id"], "/recall", json=asked)]
        return [house.client.post("/v1/recall", json=asked)]

    def _retrieve(self, step: Case) -> list[httpx.Response]:
        asked = {"query": step["query"]} | ({"top_k": step["k"]} if "k" in step else {})
        house = self.as_user(step.get("as"))
        return [house.client.post("/v1/memories/retrieve", json=asked)]

    def _pinned(self, step: Case) -> list[httpx.Response]:
        return [self.as_user(step.get("as")).client.post("/v1/memories/pinned", json={})]

    def _procedural(self, step: Case) -> list[httpx.Response]:
        return [self.as_user(step.get("as")).client.post("/v1/memories/procedural", json={})]

    def _restore(self, step: Case) -> list[httpx.Response]:
        """From now on a service answers that failed until then."""
        if step["restore"] == "sqs":
            self._at_work.elapse(_OUTAGE_S)
            return []
        assert step["restore"] == "embedder"
        missed = self.as_user().client.post("/v1/recall", json={"query": "anything"})
        assert missed.json()["degraded"]
        self.embedder.failing.clear()
        return []

    def _run_backfill(self, _: Case) -> list[httpx.Response]:
        """Nobody has to: a recall makes the vectors that are missing."""
        return []

    def _consolidate(self, step: Case) -> list[httpx.Response]:
        """Ask for it by name, and have it done."""
        house = self.as_user(step.get("as"))
        answer = house.send("POST", step["conversation_id"], "/consolidate", json={})
        assert (answer.status_code, answer.json()) == (202, {"queued": True})
        return self._drain_queue(step)

    def _drain_queue(self, _: Case) -> list[httpx.Response]:
        self._at_work.drain()
        return []

    def _deliver_job(self, _: Case) -> list[httpx.Response]:
        """Have the jobs done that wait since the appends, however late it is."""
        before = len(self._at_work.taken)
        self._at_work.elapse(SETTLE_S + 1)
        self._at_work.work()
        assert len(self._at_work.taken) > before
        return []

    @property
    def _at_work(self) -> Worker:
        assert self.worker
        return self.worker

    def _raw_put(self, step: Case) -> list[httpx.Response]:
        body = in_our_words(step["body"]).encode()
        self.house.place(body, step["raw_put"], Scope(TENANT, self.user))
        return []

    def _raw_http(self, step: Case) -> list[httpx.Response]:
        method, path = step["raw_http"].split(" ")
        path = "/v1" + path.replace("/messages", "/turns")
        headers = {"content-type": "application/json"}
        body = in_our_words(step["body"]).encode()
        return [self.as_user().client.request(method, path, content=body, headers=headers)]

    def _advance_clock_s(self, step: Case) -> list[httpx.Response]:
        self.house.clock.sleep(step["advance_clock_s"])
        return []

    def _freeze_clock(self, step: Case) -> list[httpx.Response]:
        now_ns = parse_time(step["freeze_clock"])
        assert now_ns is not None
        self.house.parts.clock = ManualClock(now_ns)
        return []

    def _seed_conversations(self, step: Case) -> list[httpx.Response]:
        """Written as another program would, straight into the directory."""
        assert self.directory is not None
        folder = self.directory / ".everturn" / "c" / TENANT / self.user
        folder.mkdir(parents=True)
        for number in range(step["seed_conversations"]):
            moved = number if step["updated_at"] == "distinct" else 0
            time = format_time(_FIRST_NS + moved)
            turns = [{"role": "user", "text": "m", "ts": time}]
            record = {"conversation_id": f"s{number:04d}", "turns": turns, "updated": time}
            (folder / f"s{number:04d}.json").write_text(json.dumps(record), encoding="utf-8")
        return []

    def _seed_messages(self, step: Case) -> list[httpx.Response]:
        wanted = step["seed_messages"]
        # Where jobs are counted, a chat goes on for a while and each message is an append.
        fitting = min(MAX_TURNS, _BATCH_BYTES // (len(wanted["content"]) + 100))
        size = 1 if self.worker else max(1, fitting)
        for first in range(0, wanted["count"], size):
            texts = [wanted["content"]] * min(size, wanted["count"] - first)
            assert self.as_user().append(wanted["conversation_id"], *texts).is_success
            if self.worker:
                self.worker.elapse(_PAUSE_S)
                # It looks for jobs every now and then.
                if first % _LOOK == 0:
                    self.worker.work()
        return []
