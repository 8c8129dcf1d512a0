"""The answers of the routes of documents."""

from http import HTTPStatus

from everturn.documents.list_documents import DocumentPage, DocumentRow
from everturn.documents.read_write import StoredDocument, UnchangedDocument
from everturn.edge.responses.base import Answer, answer, raw_answer
from everturn.edge.responses.etags import shown_etag
from everturn.ports.object_store import Etag
from everturn.values.go_json import JsonObject
from everturn.values.timestamps import format_time


def document_read(found: StoredDocument | UnchangedDocument) -> Answer:
    """Answer a read: with the value, or without a body where the caller has it already."""
    if isinstance(found, UnchangedDocument):
        # https://www.rfc-editor.org/rfc/rfc9110#section-15.4.5
        return _tagged(raw_answer("", HTTPStatus.NOT_MODIFIED), found.etag)
    return _tagged(answer({**_named(found), "value": found.document.value}), found.etag)


def document_written(stored: StoredDocument) -> Answer:
    """Answer a write; the caller has the value."""
    status = HTTPStatus.CREATED if stored.created else HTTPStatus.OK
    return _tagged(answer(_named(stored), status), stored.etag)


def document_deleted(kept: JsonObject) -> Answer:
    """Answer a delete with its receipt; `kept` says what the bucket keeps for some days."""
    return answer({"deleted": {"documents": 1}, "complete": True, **kept})


def documents_listed(page: DocumentPage) -> Answer:
    """Answer a list."""
    body: JsonObject = {"documents": [_row_json(row) for row in page.rows]}
    if page.next_cursor is not None:
        body["next_cursor"] = page.next_cursor
    return answer({**body, "skipped": page.skipped})


def _named(stored: StoredDocument) -> JsonObject:
    document = stored.document
    return {
        "space": document.space,
        "key": document.key,
        "etag": shown_etag(stored.etag),
        "size": stored.size,
        "updated": format_time(document.updated_ns),
    }


def _row_json(row: DocumentRow) -> JsonObject:
    body: JsonObject = {
        "key": row.key,
        "etag": shown_etag(row.etag),
        "size": row.size,
        "updated": format_time(row.updated_ns),
    }
    return body if row.document is None else {**body, "value": row.document.value}


def _tagged(response: Answer, etag: Etag) -> Answer:
    response.headers["ETag"] = f'"{shown_etag(etag)}"'
    return response
