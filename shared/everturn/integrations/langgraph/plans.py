"""The calls that an operation of a LangGraph store takes."""

from collections.abc import Mapping, Sequence

from langgraph.store.base import GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp

from everturn.client import ABSENT
from everturn.client.calls.call import Absent, Plan
from everturn.client.calls.documents import (
    all_documents,
    delete_document,
    get_document,
    put_document,
)
from everturn.errors import NotFoundError, UnavailableError
from everturn.integrations.item_keys import item_key, items_prefix, path_of_item
from everturn.integrations.langgraph.filters import common_start, listed_namespaces
from everturn.integrations.langgraph.items import created_in, item_document, stored_item
from everturn.integrations.langgraph.ranking import search_results
from everturn.integrations.plans import MAX_TRIES, WRITTEN_OTHERWISE, gathered


def get_item(space: str, op: GetOp) -> Plan[Item | None]:
    """Read an item: one request; None where there is none."""
    try:
        document = yield get_document(space, item_key(op.namespace, op.key))
    except NotFoundError:
        return None
    return None if document.failed else stored_item(document).item()


def put_item(space: str, op: PutOp, vectors: Mapping[str, str]) -> Plan[None]:
    """Write an item: one request where it is new, three where it is there and keeps its age.

    Raises:
        UnavailableError: others wrote it first, every time.
    """
    key = item_key(op.namespace, op.key)
    expect: str | Absent = ABSENT
    created: str | None = None
    for _ in range(MAX_TRIES):
        try:
            yield put_document(
                space, key, item_document(op, vectors, created=created), expect=expect
            )
        except WRITTEN_OTHERWISE:
            try:
                document = yield get_document(space, key)
            except NotFoundError:
                expect, created = ABSENT, None
                continue
            if document.failed:
                return
            expect, created = document.etag, created_in(document)
        else:
            return
    raise UnavailableError(f"too many writers of one item tries={MAX_TRIES}")


def delete_item(space: str, op: PutOp) -> Plan[None]:
    """Remove an item; one that is not there is removed already."""
    try:
        yield delete_document(space, item_key(op.namespace, op.key))
    except NotFoundError:
        return


def search_items(space: str, op: SearchOp, query: Sequence[float] | None) -> Plan[list[SearchItem]]:
    """Search the items below a namespace: all of them are read, about a hundred a request."""
    prefix = items_prefix(op.namespace_prefix)
    rows = yield from gathered(all_documents(space, prefix=prefix, values=True))
    return search_results(map(stored_item, rows), op, query)


def list_namespaces(space: str, op: ListNamespacesOp) -> Plan[list[tuple[str, ...]]]:
    """List namespaces: a request for each 1,000 items, without opening them.

    Where a label is hashed, or a path cut, the items below are read as in a search.
    """
    prefix = items_prefix(common_start(op))
    rows = yield from gathered(all_documents(space, prefix=prefix))
    paths = [path_of_item(row.key) for row in rows]
    if None in paths:
        rows = yield from gathered(all_documents(space, prefix=prefix, values=True))
        paths = [stored_item(row).namespace for row in rows]
    return listed_namespaces({path for path in paths if path is not None}, op)
