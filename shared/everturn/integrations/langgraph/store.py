"""A `BaseStore` of LangGraph whose items are documents."""

from collections.abc import Iterable, Sequence
from typing import Final

from everturn.integrations.extras import extra

with extra("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchOp,
    )

from everturn.client.calls.call import Plan
from everturn.integrations.langgraph.index import ItemIndex, Vectors, packed
from everturn.integrations.langgraph.plans import (
    delete_item,
    get_item,
    list_namespaces,
    put_item,
    search_items,
)
from everturn.integrations.plans import Client, arun_all, run_all

_SPACE: Final = "langgraph"


class EverturnStore(BaseStore):
    """Keeps the items of graphs for the user that the client speaks for.

    It keeps nothing itself: several processes use one store. Items do not expire (`supports_ttl` is
    False).
    """

    def __init__(
        self, client: Client, *, index: IndexConfig | None = None, space: str = _SPACE
    ) -> None:
        """Make a store; nothing is sent yet.

        Args:
            client: whose items they are says the client; the caller closes it. With an `Everturn`
                the asynchronous methods run in a thread; with an `AsyncEverturn` they are the
                only ones.
            index: how items are embedded, so that a search has a meaning for `query`; without it
                a query changes nothing.
            space: the space of documents that they lie in; stores of two spaces share nothing.
        """
        super().__init__()
        self.index_config = index
        self._index = None if index is None else ItemIndex(index)
        self.embeddings = None if self._index is None else self._index.embeddings
        self._client = client
        self._space = space

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: first all that read, then what is put, the last put of each item.

        Raises:
            InvalidRequestError: the client is an `AsyncEverturn`, or a value is no JSON.
            TooLargeError: an item with its vectors is above 1 MiB.
            EverturnError: the server does not answer, or refuses.
        """
        batch = _Batch(ops, self._space, self._index)
        if self._index is not None:
            batch.embedded = self._index.embed(batch.texts, batch.queries)
        read = run_all(self._client, batch.reads())
        run_all(self._client, batch.writes())
        return batch.results(read)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, awaited."""
        batch = _Batch(ops, self._space, self._index)
        if self._index is not None:
            batch.embedded = await self._index.aembed(batch.texts, batch.queries)
        read = await arun_all(self._client, batch.reads())
        await arun_all(self._client, batch.writes())
        return batch.results(read)


class _Batch:
    """Operations, and the plans that carry them out."""

    def __init__(self, ops: Iterable[Op], space: str, index: ItemIndex | None) -> None:
        self._ops = list(ops)
        self._space = space
        self._puts = {(op.namespace, op.key): op for op in self._ops if isinstance(op, PutOp)}
        self._texts = {name: index.texts(op) for name, op in self._puts.items()} if index else {}
        self.embedded: tuple[Vectors, Vectors] = ({}, {})

    @property
    def texts(self) -> list[str]:
        return [text for texts in self._texts.values() for text in texts.values()]

    @property
    def queries(self) -> list[str]:
        return [op.query for op in self._ops if isinstance(op, SearchOp) and op.query]

    def reads(self) -> list[Plan[Result]]:
        return [self._read(op) for op in self._ops if not isinstance(op, PutOp)]

    def writes(self) -> list[Plan[None]]:
        return [self._write(op) for op in self._puts.values()]

    def results(self, read: Sequence[Result]) -> list[Result]:
        answers = iter(read)
        return [None if isinstance(op, PutOp) else next(answers) for op in self._ops]

    def _read(self, op: Op) -> Plan[Result]:
        match op:
            case GetOp():
                return get_item(self._space, op)
            case SearchOp():
                return search_items(self._space, op, self.embedded[1].get(op.query or ""))
            case ListNamespacesOp():
                return list_namespaces(self._space, op)
            case _:
                raise ValueError(f"Unknown operation type: {type(op)}")

    def _write(self, op: PutOp) -> Plan[None]:
        if op.value is None:
            return delete_item(self._space, op)
        texts = self._texts.get((op.namespace, op.key), {})
        vectors = {path: packed(self.embedded[0][text]) for path, text in texts.items()}
        return put_item(self._space, op, vectors)
