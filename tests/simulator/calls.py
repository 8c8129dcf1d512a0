"""What a client asked for, and what it was told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from everturn.conversations.model.turn import TurnDraft
from everturn.errors import EverturnError, OutcomeUnknownError, UnavailableError

Kind = Literal["", "append", "create", "patch", "redact", "pop", "delete", "sweep", "list", "read"]


@dataclass(eq=False)
class Call:
    """One call of one client on one conversation; `began` and `ended` are ticks of the journal."""

    name: str
    conversation_id: str
    kind: Kind = ""
    drafts: Sequence[TurnDraft] = ()
    key: str | None = None
    expected: int | None = None
    index: int = 0
    """The turn that is redacted, or the first one read; -1 to read the newest."""
    limit: int = 0
    """How many turns are read."""
    title: str = ""
    began: int = 0
    ended: int = 0
    answer: object = None
    error: EverturnError | None = None
    crashed: bool = False
    commits: int = 0
    """How often it has appended, created, popped or deleted: at most once."""

    @property
    def is_unclear(self) -> bool:
        """Whether the client does not know what became of it."""
        unclear = (
            (UnavailableError, OutcomeUnknownError) if self.kind == "sweep" else UnavailableError
        )
        return self.crashed or isinstance(self.error, unclear)

    @property
    def told(self) -> str:
        """What the client was told, in words."""
        if self.crashed:
            return "CRASH"
        return f"{type(self.error).__name__}: {self.error}" if self.error else repr(self.answer)
