"""How many tokens of models a tenant used today, about: one derived object that may be lost.

Two jobs at once may lose a count.
"""

import json
from dataclasses import dataclass
from typing import Final

from everturn.errors import OutcomeUnknownError, UnavailableError
from everturn.ports.clock import Clock
from everturn.ports.object_store import ObjectStore, StoredObject
from everturn.values.go_json import JsonObject, dumps
from everturn.values.keys import token_use_key
from everturn.values.timestamps import format_time

_DATE_CHARS: Final = len("2026-01-31")


@dataclass(frozen=True, slots=True)
class TokenUse:
    """What a tenant may use of models in one day of UTC; with a `daily` of 0 nothing is counted."""

    derived: ObjectStore
    clock: Clock
    tenant: str
    daily: int

    @property
    def is_spent(self) -> bool:
        """Whether no more may be used today; one request where there is a limit."""
        return bool(self.daily) and self._used() >= self.daily

    def add(self, tokens: int) -> None:
        """Note that so many more were used; two requests where there is a limit."""
        if not self.daily or not tokens:
            return
        try:
            value: JsonObject = {"day": self._today, "tokens": self._used() + tokens}
            self.derived.overwrite(token_use_key(self.tenant), dumps(value).encode())
        except (OutcomeUnknownError, UnavailableError):
            # The count is approximate: to lose this one costs at most one window more, to fail for
            # it an answer that is paid for.
            return

    @property
    def _today(self) -> str:
        return format_time(self.clock.now_ns())[:_DATE_CHARS]

    def _used(self) -> int:
        stored = self.derived.get(token_use_key(self.tenant))
        if not isinstance(stored, StoredObject):
            return 0
        try:
            value = json.loads(stored.body)
            return int(value["tokens"]) if value["day"] == self._today else 0
        except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError):
            return 0
