"""/v1/documents: small JSON values of agent frameworks, by space and key."""

from everturn.documents.list_documents import list_documents
from everturn.documents.read_write import delete_document, get_document, put_document
from everturn.edge.api_function import LambdaEdge
from everturn.edge.requests import (
    DocumentBody,
    Flag,
    IfMatch,
    IfNoneMatch,
    Limit,
    PathId,
    Prefix,
    Word,
)
from everturn.edge.responses import documents as answers
from everturn.edge.responses.base import Answer
from everturn.edge.responses.documents import expected_version, parse_etag

EDGE = LambdaEdge()


@EDGE.app.get("/v1/documents/<space>")
def list_(space: PathId, prefix: Prefix = None, limit: Limit = None, cursor: Word = None,
          values: Flag = None) -> Answer:  # fmt: skip
    """List one page of the documents of a space, with `values` each with its value."""
    page = list_documents(**EDGE.reading, space=space, prefix=prefix, limit=limit, cursor=cursor,
                          values=bool(values))  # fmt: skip
    EDGE.count(skipped=page.skipped)
    return answers.documents_listed(page)


@EDGE.app.get("/v1/documents/<space>/<key>")
def get(space: PathId, key: PathId, if_none_match: IfNoneMatch = None) -> Answer:
    """Read a document."""
    known = parse_etag(if_none_match, field="If-None-Match")
    return answers.document_read(get_document(**EDGE.reading, space=space, key=key, unless=known))


@EDGE.app.put("/v1/documents/<space>/<key>")
def put(space: PathId, key: PathId, body: DocumentBody, if_match: IfMatch = None,
        if_none_match: IfNoneMatch = None) -> Answer:  # fmt: skip
    """Write a document."""
    expect = expected_version(if_match, if_none_match)
    stored = put_document(**EDGE.storing, space=space, key=key, value=body.value, expect=expect)
    EDGE.count(documents_written=1)
    return answers.document_written(stored)


@EDGE.app.delete("/v1/documents/<space>/<key>")
def delete(space: PathId, key: PathId, if_match: IfMatch = None) -> Answer:
    """Remove a document."""
    expect = parse_etag(if_match, field="If-Match")
    delete_document(**EDGE.storing, space=space, key=key, expect=expect)
    EDGE.count(documents_deleted=1)
    return answers.document_deleted(EDGE.kept)


handler = EDGE.handler
