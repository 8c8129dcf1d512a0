"""Request bodies of search, retrieval and prompts: one pydantic model each.

Unknown fields are refused.
"""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, FailFast, Field, WithJsonSchema

from everturn.edge.request_schemas import NAMED
from everturn.edge.requests import ABSENT, Id, StrictBody, Time, moment_ns
from everturn.errors import InvalidRequestError
from everturn.memory.model.retrieve_request import (
    MAX_GOAL_CHARS,
    SNIPPET_KINDS,
    ContextRequest,
    RetrieveRequest,
    SnippetKind,
)
from everturn.recall.index.recall_request import (
    MAX_BUDGET_TOKENS,
    MAX_NEIGHBOURS,
    MAX_QUERY_CHARS,
    MAX_TOP_K,
    RecallRequest,
)
from everturn.values.keys import valid_id
from everturn.values.timestamps import TimeWindow, parse_window
from everturn.values.visible_text import is_blank

MAX_THEMES = 20
_DEFAULT = RecallRequest("")
_RETRIEVE, _CONTEXT = RetrieveRequest(""), ContextRequest("")
PROMPT_TOKENS = 2_000
"""The budget of a pinned block and of procedures, if none is given."""


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


def _kind(name: str) -> SnippetKind:
    found = next((kind for kind in SNIPPET_KINDS if kind == name), None)
    if found is None:
        raise ValueError(f"a kind is one of {', '.join(SNIPPET_KINDS)}")
    return found


def _goal(text: str) -> str:
    counting = text[:MAX_GOAL_CHARS]
    return "" if is_blank(counting) else counting


_Kind: TypeAlias = Annotated[
    str, AfterValidator(_kind), WithJsonSchema({"type": "string", "enum": list(SNIPPET_KINDS)})
]
_Goal: TypeAlias = Annotated[
    str,
    Field(
        repr=False,
        description=f"What the caller is about. Its first {MAX_QUERY_CHARS:,} characters are "
        f"searched with; its first {MAX_GOAL_CHARS:,} stand in a prompt, as far as its budget has "
        "room.",
    ),
    AfterValidator(_goal),
]


class RetrieveBody(WithinTimes):
    """POST /v1/memories/retrieve."""

    query: Query
    top_k: TopK = _RETRIEVE.top_k
    budget_tokens: Budget = _RETRIEVE.budget_tokens
    kinds: Annotated[list[_Kind], Field(default_factory=list), FailFast()]
    as_of: Annotated[Time, Field(repr=False)] = ABSENT
    min_score: Score = _RETRIEVE.min_score
    explain: bool = _RETRIEVE.explain

    def request(self) -> RetrieveRequest:
        """Return the request for the service.

        Raises:
            InvalidRequestError: a time is none, or `since` and `until` make no window.
        """
        return RetrieveRequest(
            query=self.query,
            top_k=self.top_k,
            budget_tokens=self.budget_tokens,
            kinds=tuple(dict.fromkeys(map(_kind, self.kinds))),
            window=self.window(),
            as_of_ns=moment_ns(self.as_of, field="as_of"),
            min_score=self.min_score,
            explain=self.explain,
        )


class PromptBody(StrictBody):
    """POST /v1/memories/pinned and /v1/memories/procedural."""

    goal: _Goal = ""
    budget_tokens: Budget = PROMPT_TOKENS


class ContextBody(StrictBody):
    """POST /v1/context."""

    query: Query
    goal: _Goal = _CONTEXT.goal
    conversation_id: Annotated[Id, Field(repr=False)] = ABSENT
    exclude_last: Count = _CONTEXT.exclude_last
    budget_tokens: Budget = _CONTEXT.budget_tokens

    def request(self) -> ContextRequest:
        """Return the request for the service.

        Raises:
            InvalidRequestError: the conversation's id is none, or there is no conversation whose
                newest turns could be left out.
        """
        id_ = self.conversation_id
        if self.exclude_last and id_ is None:
            raise InvalidRequestError("a window is of one conversation", field="exclude_last")
        return ContextRequest(
            query=self.query,
            goal=self.goal,
            conversation_id=None if id_ is None else valid_id(id_, field="conversation_id"),
            exclude_last=self.exclude_last,
            budget_tokens=self.budget_tokens,
        )
