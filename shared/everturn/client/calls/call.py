"""One call of the API as a value: what is sent, how the answer is read, what sending again does."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

from everturn.client.calls.encoding import Json, ParamValue, query_of
from everturn.errors import MisconfiguredError
from everturn.wire.base import Result

T = TypeVar("T")
ItemT = TypeVar("ItemT")
PageT = TypeVar("PageT")
ResultT = TypeVar("ResultT", bound=Result)


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


ABSENT: Final = Absent.ABSENT
"""Expected of a document that is to be created: there is none."""

UNSET: Final = Unset.UNSET
"""Stands for a field that is not sent, where None is sent as null."""


MAX_PAGE: Final = 1_000
"""The most turns or other rows of one page, which ends at 3 MiB; documents with values: 100."""


class Repeat(Enum):
    """What the same request does when it is sent again after a try that got no clear answer."""

    SAFE = "safe"
    """The same as once: it reads, it is known again by its key, or it says what shall be."""

    CONDITIONAL = "conditional"
    """Nothing more; but its refusal may mean that the first try had happened."""

    ONCE = "once"
    """Harm: it may happen twice. Only what surely did not happen is sent again."""


class Fresh(Protocol):
    """What a call needs of the moment at which it is made; the same in all its tries."""

    def now(self) -> str:
        """Return the time in RFC 3339, UTC."""
        ...

    def id(self) -> str:
        """Return an id that nobody else has."""
        ...


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """How an answer is read, and what stands for it where there is none.

    `read` takes the bytes of a body and raises ValueError where they are none of an Everturn;
    `nothing` takes the code of a failure. Without it `best_effort` does not hold: the failure is
    raised.
    """

    read: Callable[[bytes], T]
    nothing: Callable[[str], T] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """One request, and what comes of it.

    `name` is for logs. `gone` stands for a 404 after a try that got no clear answer: what was to
    be removed is not there. `complete` fills in what the call needs of its moment.
    """

    name: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    answer: Answer[T]
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    body: Mapping[str, Json] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeat: Repeat = Repeat.SAFE
    gone: T | None = None
    complete: Callable[["Call[T]", Fresh], "Call[T]"] | None = None

    def completed(self, fresh: Fresh) -> "Call[T]":
        """Return the call as it is sent, in each of its tries."""
        return self if self.complete is None else self.complete(self, fresh)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk(Generic[PageT, ItemT]):
    """Pages, one call each: the first one, what is on a page, and the call for the next one."""

    first: Call[PageT]
    items: Callable[[PageT], Sequence[ItemT]]
    then: Callable[[PageT], Call[PageT] | None]

    def after(self, page: PageT, call: Call[PageT], asked: set[str]) -> Call[PageT] | None:
        """Return the call for what comes after the page that `call` gave; None at the end.

        No empty page stands for a failure of it: the first pages would pass for all there is.
        `asked` is one set for a whole walk, empty at first: what was asked for so far.

        Raises:
            MisconfiguredError: it would be one of the calls before again.
        """
        asked.add(query_of(call.params))
        following = self.then(page)
        if following is None:
            return None
        if query_of(following.params) in asked:
            raise MisconfiguredError("the pages do not go on, this is no everturn")
        return replace(following, answer=Answer(following.answer.read))


Plan: TypeAlias = Generator[Call[Any], Any, T]
"""Several calls, each yielded and its result sent back, that come to one result."""


def model(kind: type[ResultT]) -> Answer[ResultT]:
    """Read an answer into a model."""
    return Answer(kind.model_validate_json, kind.nothing)


def certain(kind: type[ResultT]) -> Answer[ResultT]:
    """Read an answer into a model, for what must not pass for done: its failure is raised."""
    return Answer(kind.model_validate_json)


def with_key(call: Call[T], fresh: Fresh) -> Call[T]:
    """Return a call with an idempotency key of its own, unless it has one."""
    return replace(call, headers={"Idempotency-Key": fresh.id(), **call.headers})


def told(**fields: Json) -> dict[str, Json]:
    """Return the fields of a body that are not None."""
    return {name: value for name, value in fields.items() if value is not None}
