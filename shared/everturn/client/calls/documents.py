"""The calls about documents: small JSON values by space and key, with versions."""

from everturn.client.calls.call import (
    ABSENT,
    MAX_PAGE,
    Absent,
    Call,
    Json,
    Repeat,
    Walk,
    certain,
    model,
    path_of,
)
from everturn.errors import InvalidRequestError
from everturn.wire.conversations import Receipt
from everturn.wire.deployment import Document, DocumentPage, DocumentRow, DocumentWritten


def list_documents(
    space: str,
    *,
    prefix: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
    values: bool | None = None,
) -> Call[DocumentPage]:
    """List one page of the documents of a space by their keys.

    Args:
        space: which.
        prefix: only those whose key begins so.
        limit: at most 1,000; None: 50.
        cursor: the `next_cursor` of the page before.
        values: with the value of each; a page then ends at 3 MiB.
    """
    return Call(
        name="list_documents",
        method="GET",
        path=path_of("documents", space),
        params={"prefix": prefix, "limit": limit, "cursor": cursor, "values": values},
        answer=model(DocumentPage),
    )


def all_documents(
    space: str, *, prefix: str | None = None, values: bool | None = None
) -> Walk[DocumentPage, DocumentRow]:
    """Iterate over a space by its keys; one request for 1,000 documents, with values for 100."""

    def page(cursor: str | None = None) -> Call[DocumentPage]:
        return list_documents(space, prefix=prefix, limit=MAX_PAGE, cursor=cursor, values=values)

    return Walk(
        first=page(),
        items=lambda found: found.documents,
        then=lambda found: page(found.next_cursor) if found.next_cursor else None,
    )


def get_document(space: str, key: str) -> Call[Document]:
    """Read a document.

    Raises:
        NotFoundError: there is none.
    """
    return Call(
        name="get_document",
        method="GET",
        path=path_of("documents", space, key),
        answer=model(Document),
    )


def put_document(
    space: str, key: str, value: Json, *, expect: str | Absent | None = None
) -> Call[DocumentWritten]:
    """Write a document.

    Args:
        space: which.
        key: which in it.
        value: any JSON, at most 1 MiB and 64 levels.
        expect: its etag, to replace that version; `ABSENT`, to create it; None: overwrite
            whatever is there.

    Raises:
        StaleEtagError: it is not as expected; nothing was written.
        TooLargeError: it is above 1 MiB.
        OutcomeUnknownError: with `expect`, after a try that got no clear answer: either it was
            written then, or somebody else came first. Read it again.
    """
    return Call(
        name="put_document",
        method="PUT",
        path=path_of("documents", space, key),
        body={"value": value},
        headers=_precondition(expect),
        answer=model(DocumentWritten),
        repeat=Repeat.SAFE if expect is None else Repeat.CONDITIONAL,
    )


def delete_document(space: str, key: str, *, expect: str | None = None) -> Call[Receipt]:
    """Remove a document.

    If no answer comes, it is removed again within the call; when it is gone then, the receipt
    counts nothing.

    Args:
        space: which.
        key: which in it.
        expect: its etag, to remove that version alone.

    Raises:
        NotFoundError: there is none.
        StaleEtagError: it is not as expected; nothing was removed.
        OutcomeUnknownError: as `put_document`.
    """
    return Call(
        name="delete_document",
        method="DELETE",
        path=path_of("documents", space, key),
        headers=_precondition(expect),
        answer=certain(Receipt),
        repeat=Repeat.SAFE if expect is None else Repeat.CONDITIONAL,
        gone=Receipt(deleted={}, complete=True),
    )


def _precondition(expect: str | Absent | None) -> dict[str, str]:
    if expect is None:
        return {}
    if expect is ABSENT:
        return {"If-None-Match": "*"}
    if not expect:
        # That of an empty result: sent, it would be taken for no precondition at all.
        raise InvalidRequestError("an etag is not empty", field="expect")
    return {"If-Match": f'"{expect}"'}
