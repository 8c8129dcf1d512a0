"""The answer of the export of a scope: JSON lines."""

from aws_lambda_powertools.event_handler import Response

from everturn.edge.responses.base import PRIVATE, Answer
from everturn.transfer.export_scope import ExportPage

# One JSON value a line. https://github.com/ndjson/ndjson-spec
JSON_LINES = "application/x-ndjson"


def exported(page: ExportPage) -> Answer:
    """Answer with one page."""
    return Response(
        status_code=200,
        content_type=JSON_LINES,
        headers=dict(PRIVATE),
        body=page.text,
    )
