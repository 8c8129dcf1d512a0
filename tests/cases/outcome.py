"""What the steps of a case answered, as its checks look at it."""

from typing import Final

import httpx

from cases.adapter import Run
from functions.house import Json

REFUSED: Final = {400, 422}
"""What 400 stands for in the cases."""


def allowed(wanted: list[int]) -> set[int]:
    """400 stands for 400 or 422."""
    return set(wanted) | (REFUSED if 400 in wanted else set())


def all_answers(run: Run) -> list[httpx.Response]:
    """The answers of all steps in their order."""
    return [response for step in run.answers for response in step]


def bodies(run: Run, field: str) -> list[Json]:
    """The bodies of the successful answers that hold a field."""
    answers = all_answers(run)
    good = [response.json() for response in answers if response.is_success and response.content]
    return [body for body in good if field in body]
