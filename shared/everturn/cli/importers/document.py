"""Brings one document into the store through the API; the same one twice is there once."""

from http import HTTPStatus
from urllib.parse import quote

from everturn.cli.importers.export_files import FoundDocument
from everturn.cli.output.errors import ApiError, CliError
from everturn.cli.target.answer_shapes import DOCUMENT
from everturn.cli.target.api import Api


def import_document(api: Api, found: FoundDocument) -> bool:
    """Write a document if none is there; say whether it was written.

    Raises:
        CliError: another value is there, which is kept; or the API cannot take it.
    """
    path = f"/v1/documents/{_segment(found.space)}/{_segment(found.key)}"
    try:
        api.call("PUT", path, body={"value": found.value}, headers={"if-none-match": "*"})
    except ApiError as exc:
        if exc.fault.status != HTTPStatus.PRECONDITION_FAILED:
            raise
        if api.read(path, shape=DOCUMENT)["value"] != found.value:
            raise CliError(
                f"another document is there space={found.space} key={found.key}"
            ) from exc
        return False
    return True


def _segment(name: str) -> str:
    """Return a name as one segment of a path."""
    try:
        segment = quote(name, safe="")
    except UnicodeEncodeError as exc:
        raise CliError("a name is no valid unicode text") from exc
    return segment.replace(".", "%2E") if segment in {".", ".."} else segment
