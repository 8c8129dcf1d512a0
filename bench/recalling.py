"""One conversation in a directory, as a process of the product writes it and recalls from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.turn import TurnDraft
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.index.load_index import IndexLoader, Work
from everturn.recall.index.recall_request import Recalled, RecallRequest
from everturn.recall.index.turn_index import TurnIndex
from everturn.recall.recall_turns import recall_turns
from everturn.storage.list_keys import list_all
from everturn.values.keys import Scope, vectors_prefix

SCOPE = Scope("bench", "bench")
# One batch while importing; a body of a request could hold as much.
_BATCH = 500


@dataclass(slots=True)
class Recalling:
    """A conversation, the embedder of a process, and what that process keeps between two calls."""

    folder: Path
    conversation_id: str
    choice: EmbedderChoice
    indexes: IndexCache = field(default_factory=IndexCache)

    @property
    def store(self) -> DirectoryStore:
        return DirectoryStore(self.folder, clock=SystemClock())

    def append(self, turns: Sequence[TurnDraft]) -> None:
        """Append them all."""
        heads = HeadCache()
        for start in range(0, len(turns), _BATCH):
            done = append_turns(
                store=self.store, heads=heads, clock=SystemClock(), entropy=SystemEntropy(),
                scope=SCOPE, conversation_id=self.conversation_id,
                turns=turns[start : start + _BATCH],
            )  # fmt: skip
            assert not done.ignored

    def recall(self, request: RecallRequest) -> Recalled:
        """Ask as the product's function does."""
        store = self.store
        return recall_turns(
            data=store, derived=store, scope=SCOPE, clock=SystemClock(), embedder=self.choice,
            indexes=self.indexes, conversation_id=self.conversation_id, request=request,
        )  # fmt: skip

    def index_all(self, question: str) -> int:
        """Ask until every turn was looked at and embedded; return how many calls it took."""
        for calls in range(1, 10_000):
            reason = self.recall(RecallRequest(question)).reason
            if reason not in {"turns_pending", "vectors_pending"}:
                return calls
        raise AssertionError("no index in any number of calls")

    def forget(self) -> None:
        """Know nothing, as a new process."""
        self.indexes = IndexCache()

    @property
    def index(self) -> TurnIndex:
        """The index that the last recall left in this process."""
        embedder = self.choice.embedder
        work = Work.of(embedder, SystemClock())
        loader = IndexLoader(self.store, self.store, SCOPE, embedder, self.indexes, work)
        loaded = loader.cached(self.conversation_id)
        assert loaded is not None
        assert loaded.is_complete
        return loaded.index

    @property
    def index_bytes(self) -> int:
        """Bytes of the side index as it is stored."""
        prefix = vectors_prefix(SCOPE, self.conversation_id)
        return sum(entry.size for entry in list_all(self.store, prefix))
