"""What a search may be asked: one pydantic model a body.

Unknown fields are refused.
"""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, FailFast, Field, WithJsonSchema

from everturn.edge.request_schemas import NAMED
from everturn.edge.requests import ABSENT, StrictBody, Time
from everturn.recall.index.recall_request import (
    MAX_BUDGET_TOKENS,
    MAX_NEIGHBOURS,
    MAX_QUERY_CHARS,
    MAX_TOP_K,
    RecallRequest,
)
from everturn.values.time_window import TimeWindow, parse_window
from everturn.values.visible_text import is_blank

MAX_THEMES = 20
_DEFAULT = RecallRequest("")


def at_most(limit: int) -> AfterValidator:
    """Clamp: more than there can be is no mistake."""
    return AfterValidator(lambda value: min(value, limit))


def _role(name: str) -> str:
    if is_blank(name):
        raise ValueError("a role is not blank")
    return name


_Role: TypeAlias = Annotated[str, AfterValidator(_role), WithJsonSchema(NAMED)]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Some: TypeAlias = Annotated[int, Field(gt=0)]
TopK: TypeAlias = Annotated[Some, at_most(MAX_TOP_K)]
Budget: TypeAlias = Annotated[Some, at_most(MAX_BUDGET_TOKENS)]
Query: TypeAlias = Annotated[
    str,
    Field(repr=False, description=f"Its first {MAX_QUERY_CHARS:,} characters count."),
    AfterValidator(lambda text: text[:MAX_QUERY_CHARS]),
]
"""What is searched for; a longer one is cut, which is no mistake."""
Score: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class WithinTimes(StrictBody):
    """A body with a window of time."""

    since: Time | None = Field(default=None, repr=False)
    until: Time | None = Field(default=None, repr=False)

    def window(self) -> TimeWindow:
        """Return the window that the two bounds make.

        Raises:
            InvalidRequestError: a bound is no time, or nothing lies between the two.
        """
        return parse_window(self.since, self.until)


class RecallBody(WithinTimes):
    """POST /v1/conversations/{id}/recall and /v1/recall."""

    query: Query
    top_k: TopK = _DEFAULT.top_k
    budget_tokens: Budget = _DEFAULT.budget_tokens
    exclude_last: Count = _DEFAULT.exclude_last
    neighbours: Annotated[Count, at_most(MAX_NEIGHBOURS)] = _DEFAULT.neighbours
    min_score: Score = _DEFAULT.min_score
    roles: Annotated[list[_Role], Field(default_factory=list, repr=False), FailFast()]
    explain: bool = _DEFAULT.explain

    def request(self) -> RecallRequest:
        """Return the request for the service.

        Raises:
            InvalidRequestError: `since` and `until` make no window.
        """
        return RecallRequest(
            query=self.query,
            top_k=self.top_k,
            budget_tokens=self.budget_tokens,
            exclude_last=self.exclude_last,
            neighbours=self.neighbours,
            min_score=self.min_score,
            roles=tuple(self.roles),
            window=self.window(),
            explain=self.explain,
        )


class ThemesBody(WithinTimes):
    """POST /v1/themes; without `k` as many as suit the number of turns."""

    k: Annotated[Some, at_most(MAX_THEMES)] = ABSENT
