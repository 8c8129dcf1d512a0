"""What the clients of a run do, by chance: write, edit, delete and create anew, look, sweep."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from everturn.conversations.model.patch import Patch
from everturn.conversations.model.turn import TurnDraft
from everturn.conversations.read_conversation import TurnPage
from everturn.errors import NotFoundError
from simulator.calls import Call, Kind
from simulator.clients import Client
from simulator.dice import Dice

Role = Mapping[Kind, int]
"""How often what is done."""

WRITER: Role = {"append": 10, "read": 1, "list": 1}
EDITOR: Role = {"append": 4, "patch": 2, "redact": 3, "pop": 3, "read": 1}
DESTROYER: Role = {"append": 5, "delete": 2, "create": 3, "list": 1}
WATCHER: Role = {"read": 4, "list": 4, "append": 1}
SWEEPER: Role = {"sweep": 1}

# Few texts and times: equal turns with equal times are legal, and must not be taken for one.
_TEXTS = ("yes", "no")
_TIMES = (None, "2025-05-05T05:05:05Z", "2025-05-05T05:05:06.5Z")
# Two redactions of one turn may differ.
_REDACTIONS = ("", "", "gone", "removed")
_TITLES = ("", "t", "u")
_MOST_RETRIES = 2
_LIMITS = (1, 3, 1_000)


@dataclass
class Sayings:
    """The turns that clients have to say; some come with an idempotency key, and more than once."""

    dice: Dice
    with_ids: bool
    said: int = 0
    _by_key: dict[str, list[TurnDraft]] = field(default_factory=dict)

    def batch(self) -> list[TurnDraft]:
        """Return what one append says."""
        return [self._turn() for _ in range(self.dice.pick((1, 1, 1, 2, 3)))]

    def keyed(self) -> tuple[str, list[TurnDraft]]:
        """Return a key and its turns: a new one, or one that somebody has sent before."""
        key = f"k{self.dice.number(0, len(self._by_key) + 2)}"
        return key, self._by_key.setdefault(key, self.batch())

    def _turn(self) -> TurnDraft:
        self.said += 1
        return TurnDraft(
            self.dice.pick(("user", "user", "assistant")),
            self.dice.pick(_TEXTS),
            ts=self.dice.pick(_TIMES),
            metadata={"id": self.said} if self.with_ids else None,
        )


class Actor:
    """Plays a role for some calls."""

    def __init__(self, client: Client, sayings: Sayings, role: Role, *, calls: int) -> None:
        """Take a client's place."""
        self._client, self._sayings, self._role, self._calls = client, sayings, role, calls
        self._dice = client.dice
        self._acts = {
            "append": self._append,
            "create": self._create,
            "patch": self._patch,
            "redact": self._redact,
            "pop": self._pop,
            "delete": self._delete,
            "sweep": self._sweep,
            "list": self._list,
            "read": self._read,
        }

    def play(self) -> None:
        """Make all calls, with rests between some."""
        for _ in range(self._calls):
            kind = self._dice.weighted(self._role)
            self._acts[kind](self._dice.pick(self._client.stage.conversation_ids))
            if self._dice.chance(0.3):
                self._client.rest(self._dice.pick((0.1, 0.1, 5)))

    def _append(self, id_: str) -> None:
        key, drafts = None, self._sayings.batch()
        if self._dice.chance(0.5):
            key, drafts = self._sayings.keyed()
        expected = self._count(id_) if self._dice.chance(0.1) else None
        for _ in range(_MOST_RETRIES + 1):
            call = Call("append", id_, "append", drafts=drafts, key=key, expected=expected)
            self._client.do(
                call,
                lambda process: process.append_drafts(drafts, to=id_, key=key, expected=expected),
            )
            if key is None or not call.is_unclear or self._dice.chance(0.2):
                return

    def _count(self, id_: str) -> int | None:
        """Return the turn count, None where nobody can say."""
        call = self._read(id_)
        if isinstance(call.error, NotFoundError):
            return 0
        return call.answer.record.head.turn_count if isinstance(call.answer, TurnPage) else None

    def _create(self, id_: str) -> None:
        self._client.do(Call("create", id_, "create"), lambda process: process.create(id_))

    def _patch(self, id_: str) -> None:
        title = self._dice.pick(_TITLES)
        call = Call("patch", id_, "patch", title=title)
        self._client.do(call, lambda process: process.patch(Patch(title=title), id_))

    def _redact(self, id_: str) -> None:
        index = self._dice.number(0, max((self._count(id_) or 0) - 1, 0))
        text = self._dice.pick(_REDACTIONS)
        call = Call(f"redact {index}", id_, "redact", index=index)
        self._client.do(call, lambda process: process.redact(index, text=text, conversation_id=id_))

    def _pop(self, id_: str) -> None:
        expected = self._count(id_)
        if expected:
            call = Call("pop", id_, "pop", expected=expected)
            self._client.do(
                call, lambda process: process.pop(expected=expected, conversation_id=id_)
            )

    def _delete(self, id_: str) -> None:
        self._client.do(Call("delete", id_, "delete"), lambda process: process.delete(id_))

    def _sweep(self, id_: str) -> None:
        self._client.do(Call("sweep", id_, "sweep"), lambda process: process.sweep())

    def _list(self, id_: str) -> Call:
        return self._client.do(Call("list", id_, "list"), lambda process: process.list_page())

    def _read(self, id_: str) -> Call:
        limit = self._dice.pick(_LIMITS)
        if self._dice.chance(0.5):
            call = Call("read", id_, "read", index=-1, limit=limit)
            return self._client.do(call, lambda process: process.read(id_, last=limit))
        first = self._dice.number(0, 9)
        call = Call(f"read from {first}", id_, "read", index=first, limit=limit)
        return self._client.do(
            call, lambda process: process.page(first, limit=limit, conversation_id=id_)
        )
