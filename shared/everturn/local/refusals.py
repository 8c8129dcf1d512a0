"""What gateway and front answer without a handler: the API's own error answers."""

from dataclasses import replace

from everturn.errors import EverturnError, MalformedRequestError
from everturn.local.http_messages import HttpAnswer
from everturn.local.invocation import answer_of


class LengthRequiredError(MalformedRequestError):
    """The body comes without its length; API Gateway never lets such a request through."""

    code = "length_required"


# https://www.rfc-editor.org/rfc/rfc9110#section-15.5.12
_LENGTH_REQUIRED = 411


def refusal(error: EverturnError, *, request_id: str, status: int | None = None) -> HttpAnswer:
    """Return the answer for an error, as a handler would.

    Args:
        error: why.
        request_id: the id of the request.
        status: instead of the table's, where HTTP has a closer one for the same error.
    """
    # Heavy, and loaded already where there are handlers.
    from everturn.edge.http_app import lambda_answer
    from everturn.edge.responses.base import error_answer

    answer = answer_of(lambda_answer(error_answer(error, request_id)))
    if isinstance(error, LengthRequiredError):
        status = _LENGTH_REQUIRED
    return answer if status is None else replace(answer, status=status)
