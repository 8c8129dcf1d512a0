"""Responses of the document routes, and document etags as HTTP headers write them.

An etag is opaque to the caller, and exact for the store.
"""

import base64
import binascii
import re
from http import HTTPStatus

from everturn.documents.list_documents import DocumentPage, DocumentRow
from everturn.documents.read_write import StoredDocument, UnchangedDocument, Version
from everturn.edge.responses.base import Answer, answer, raw_answer
from everturn.errors import InvalidRequestError
from everturn.ports.object_store import ABSENT, Etag
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


_ENTITY_TAG = re.compile(r'"([A-Za-z0-9_-]+)"|([A-Za-z0-9_-]+)', re.ASCII)
# A store would take these two for `any` and for a list. https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
_STORE_ETAG = re.compile(r"[!-)+\--~]+")


def shown_etag(etag: Etag) -> str:
    """Return an etag as the JSON of an answer holds it; with quotes around it, as a header does.

    A store's own may hold quotes or not, and has to come back to it as it was.
    """
    return base64.urlsafe_b64encode(etag.encode()).decode("ascii").rstrip("=")


def parse_etag(text: str | None, *, field: str) -> Etag | None:
    """Read the one etag of a header, in quotes or bare; None where there is no header.

    Raises:
        InvalidRequestError: it is none that we gave out: `*`, a list, a weak one, another server's.
    """
    if text is None:
        return None
    match = _ENTITY_TAG.fullmatch(text.strip())
    if match is None:
        raise _no_etag(field)
    token = match[1] or match[2]
    try:
        etag = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_").decode("ascii")
    except (ValueError, binascii.Error) as error:
        raise _no_etag(field) from error
    if not _STORE_ETAG.fullmatch(etag):
        raise _no_etag(field)
    return Etag(etag)


def expected_version(if_match: str | None, if_none_match: str | None) -> Version | None:
    """Read the condition of a put; None where there is none.

    Raises:
        InvalidRequestError: there are two, or one that is neither `If-Match` with an etag nor
            `If-None-Match: *`.
    """
    if if_none_match is None:
        return parse_etag(if_match, field="If-Match")
    if if_match is not None or if_none_match.strip() != "*":
        raise InvalidRequestError(
            "a put takes If-Match with an etag, or If-None-Match: *", field="If-None-Match"
        )
    return ABSENT


def _no_etag(field: str) -> InvalidRequestError:
    return InvalidRequestError("this is no etag of a document", field=field)
