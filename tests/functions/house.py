"""One gateway with the real handlers for many tests.

Stores, clock and caches are chosen by each.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from everturn.adapters.hash_embedder import HashEmbedder
from everturn.adapters.system_clock import ManualClock, SeededEntropy, SystemClock
from everturn.cli.target.api import conversation_path
from everturn.consolidation.enqueue_job import JobOffers
from everturn.conversations.head_cache import HeadCache
from everturn.local.gateway import Gateway, open_gateway
from everturn.local.transport import LambdaTransport
from everturn.memory.index.index_cache import MemoryIndexes
from everturn.memory.index.record_cache import MemoryCache
from everturn.ports.clock import Clock
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.ports.queue import JobQueue
from everturn.recall.index.choose_embedder import Candidate, Embedders
from everturn.recall.index.index_cache import IndexCache
from everturn.values.keys import Scope, head_key
from fakes.wrapped_store import Answer, Verb, WrappedStore

Json = dict[str, Any]
StepIn = Callable[[Verb, str, Callable[[], Any]], Any]
LOCAL = Scope("local", "local")
CONVERSATIONS = "/v1/conversations"


def hand_on(verb: Verb, key: str, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
    """Let a request pass."""
    del verb, key
    return send()


class Door(WrappedStore):
    """Writes down every request and lets the test step in; what is behind it can be changed."""

    def __init__(self, inner: ObjectStore) -> None:
        super().__init__(inner)
        self.calls: list[tuple[Verb, str]] = []
        self.step_in: StepIn = hand_on

    @property
    def inner(self) -> ObjectStore:
        return self._inner

    def settle(self, inner: ObjectStore) -> None:
        """Stand in front of another store, with nothing written down."""
        self._inner = inner
        self.calls = []
        self.step_in = hand_on

    def verbs(self) -> list[Verb]:
        return [verb for verb, _ in self.calls]

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        self.calls.append((verb, key))
        answer: Answer = self.step_in(verb, key, send)
        return answer


def embedders_of(embedder: Embedder) -> Embedders:
    """A choice among one."""
    return Embedders([Candidate("only", lambda: embedder)], ManualClock())


@dataclass(slots=True)
class Parts:
    """What bootstrap hands out, in a form that a test can change between two requests."""

    data: Door
    derived: Door
    heads: HeadCache = field(default_factory=HeadCache)
    clock: Clock = field(default_factory=ManualClock)
    entropy: SeededEntropy = field(default_factory=lambda: SeededEntropy("house"))
    embedders: Embedders = field(default_factory=lambda: embedders_of(HashEmbedder()))
    indexes: IndexCache = field(default_factory=IndexCache)
    memories: MemoryCache = field(default_factory=MemoryCache)
    memory_indexes: MemoryIndexes = field(default_factory=MemoryIndexes)
    queue: JobQueue | None = None
    offers: JobOffers = field(init=False)

    def settle(self, store: ObjectStore) -> None:
        """Begin anew with one store for both kinds of data."""
        self.data.settle(store)
        self.derived.settle(store)
        self.forget()
        self.clock = ManualClock()
        self.embedders = embedders_of(HashEmbedder())
        self.join(None)

    def join(self, queue: JobQueue | None, *, settle_s: int = 60) -> None:
        """Offer jobs to this queue from now on, as a process that has just started."""
        self.queue = queue
        self.offers = JobOffers(queue, self.derived, self.clock, settle_s)

    def forget(self) -> None:
        """Know no heads, indexes and memories, as a process that has just started."""
        self.heads = HeadCache()
        self.indexes = IndexCache()
        self.memories = MemoryCache()
        self.memory_indexes = MemoryIndexes()


def open_house(parts: Parts, log: Path) -> Gateway:
    """Open the real gateway on these parts."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("everturn.edge.api_function", "everturn.local.gateway"):
            patch.setattr(f"{module}.open_backends", lambda _: parts)
        return open_gateway({"EVERTURN_STORE": str(log.with_name("chosen-by-each-test"))}, log=log)


def client_of(gateway: Gateway, headers: Mapping[str, str] | None = None) -> httpx.Client:
    """A client whose requests end in this gateway."""
    return httpx.Client(
        transport=LambdaTransport(gateway), base_url="http://localhost", headers=headers
    )


@dataclass(frozen=True, slots=True)
class House:
    """The API over one fresh store."""

    gateway: Gateway
    parts: Parts
    log: Path
    client: httpx.Client

    @property
    def data(self) -> Door:
        return self.parts.data

    @property
    def clock(self) -> ManualClock:
        assert isinstance(self.parts.clock, ManualClock)
        return self.parts.clock

    def acting_as(self, actor: str, tenant: str = "acme") -> "House":
        """The same house as another user sees it."""
        headers = {"x-everturn-tenant": tenant, "x-everturn-actor": actor}
        return House(self.gateway, self.parts, self.log, client_of(self.gateway, headers))

    def send(self, method: str, id_: str, rest: str = "", **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's own
        """Send a request to a conversation, whatever its id."""
        return self.client.request(method, conversation_path(id_) + rest, **options)

    def append(self, id_: str, *texts: str, **body: Any) -> httpx.Response:  # noqa: ANN401 - any field
        """Append user turns."""
        turns = [{"role": "user", "text": text} for text in texts]
        return self.append_turns(id_, turns, **body)

    def append_turns(
        self,
        id_: str,
        turns: object,
        *,
        key: str | None = None,
        **body: Any,  # noqa: ANN401 - any field
    ) -> httpx.Response:
        """Append turns as given."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.send("POST", id_, "/turns", json={"turns": turns, **body}, headers=headers)

    def post_raw(self, body: bytes, id_: str = "c1", **headers: str) -> httpx.Response:
        """Post bytes as the body of an append."""
        sent = {"content-type": "application/json", **headers}
        return self.send("POST", id_, "/turns", content=body, headers=sent)

    def recall(self, query: str, id_: str | None = "c1", **body: Any) -> Json:  # noqa: ANN401 - any field
        """Recall in a conversation, or with None in all, which must be answered."""
        response = self.ask(query, id_, **body)
        assert response.status_code == 200, response.text
        answer: Json = response.json()
        return answer

    def ask(self, query: object, id_: str | None = "c1", **body: Any) -> httpx.Response:  # noqa: ANN401 - any field
        """Send a recall of any kind."""
        path = "/v1/recall" if id_ is None else f"{conversation_path(id_)}/recall"
        return self.client.post(path, json={"query": query, **body})

    def read(self, path: str, **params: str | int) -> Json:
        """GET a JSON object that must be there."""
        response = self.client.get(path, params=params)
        assert response.status_code == 200, response.text
        answer: Json = response.json()
        return answer

    def turns(self, id_: str = "c1", **params: str | int) -> list[Json]:
        """The turns of a conversation, up to a thousand."""
        page = self.read(f"{conversation_path(id_)}/turns", **(params or {"last": 1_000}))
        turns: list[Json] = page["turns"]
        return turns

    def texts(self, id_: str = "c1") -> list[str]:
        return [turn["text"] for turn in self.turns(id_)]

    def listed(self, **params: str | int) -> list[str]:
        """The ids of a list, in order."""
        rows = self.read(CONVERSATIONS, **params)["conversations"]
        return [row["conversation_id"] for row in rows]

    def logged(self, since: int = 0) -> str:
        """What the handlers have logged from this byte on."""
        return self.log.read_bytes()[since:].decode() if self.log.exists() else ""

    def stored(self, id_: str = "c1", scope: Scope = LOCAL) -> bytes:
        """The bytes of a head, read behind the API's back."""
        found = self.data.inner.get(head_key(scope, id_))
        assert isinstance(found, StoredObject)
        return found.body

    def stored_json(self, id_: str = "c1", scope: Scope = LOCAL) -> Json:
        document: Json = json.loads(self.stored(id_, scope).decode("utf-8", "strict"))
        return document

    def place(self, body: bytes, id_: str = "c1", scope: Scope = LOCAL) -> bytes:
        """Put a file there as another program would: without metadata, whatever was there."""
        self.data.inner.overwrite(head_key(scope, id_), body)
        return body


def fault(response: httpx.Response, status: int) -> Json:
    """The error of an answer, which has the form that the API promises."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    error: Json = response.json()["error"]
    assert set(response.json()) == {"error"}
    assert set(error) - {"field"} == {"code", "message", "request_id", "retryable"}
    assert error["request_id"]
    assert error["message"]
    return error


def real_time() -> SystemClock:
    """The machine's clock, for stores whose versions are times."""
    return SystemClock()
