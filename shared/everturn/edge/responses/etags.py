"""Etags of documents as HTTP says them: opaque to the caller, exact for the store."""

import base64
import binascii
import re

from everturn.documents.read_write import Version
from everturn.errors import InvalidRequestError
from everturn.ports.object_store import ABSENT, Etag

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
